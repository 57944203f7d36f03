"""The call operators of the algorithms, from their headers: Doxygen shows only that an algorithm is a variable."""

import re


class Operators:
    """The call operators of the function objects, from the headers."""

    CLASS = re.compile(r"^(?:struct|class) (\w+)(?: final)?(?: : ([^{]*?))? \{\n(.*?)^\};", re.M | re.S)
    CALL = re.compile(
        r"^  template <((?:[^;{]|\{\})*?)>\n(?:    requires [^;{]*?\n)?"
        r"  (?! )(?:BLITZ_\w+ |constexpr |\[\[nodiscard\]\] )*([\w:<>, \n]+?)\s+operator\(\)\(((?:[^;{]|\{\})*?)\) const \{", re.M)
    OBJECT = re.compile(r"^inline constexpr detail::Algorithm<detail::(\w+)(.*?)>\s*(\w+)\{\};", re.M)

    def __init__(self, root):
        self.calls, self.bases, self.packs, self.defaults, self.objects = {}, {}, {}, {}, {}
        for path in sorted((root / "blitz").glob("**/algorithm/**/*.hpp")):
            text = path.read_text()
            for name, bases, body in self.CLASS.findall(text):
                self.calls[name] = [[" ".join(part.split()) for part in call] for call in self.CALL.findall(body)]
                hides = self.calls[name] and "::operator();" not in body
                if default := re.search(r", (std::ranges::\w+)>", bases):  # of the comparison
                    self.defaults[name] = default[1]
                if pack := re.search(rf"<{name}((?:, [\w:]+)*)>", bases):  # the arguments of a base after its first, which is the class
                    self.packs[name] = pack[1].split(", ")[1:]
                self.bases[name] = [] if hides else [base for base in re.findall(r"[A-Z]\w+", bases) if base != name]
            self.objects.update({name: type_name for type_name, _, name in self.OBJECT.findall(text)})

    def of_class(self, name):
        calls = self.calls.get(name, []) + [call for base in self.bases.get(name, []) for call in self.of_class(base)]
        default = self.defaults.get(name, "Default")
        calls = [[part.replace("= Default", f"= {default}") for part in call] for call in calls]
        if name in self.packs:
            calls = [[*call[:-1], self.without_pack(call, self.packs[name])] for call in calls]
        return calls

    @staticmethod
    def without_pack(call, types):
        """The parameters of a call, with types in place of a pack that is no template parameter of the call."""
        def unpacked(match):
            return match[0] if re.search(rf"\.\.\. {match[1]}\b", call[0]) else "".join(f", {type_name} {match[2]}" for type_name in types)

        return re.sub(r", (\w+)\.\.\. (\w+)", unpacked, call[-1])

    def of(self, name):
        """(template parameters, result, parameters) of each form: with a range first, with options last."""
        calls = {tuple(call): None for call in self.of_class(self.objects[name])}
        return sorted(calls, key=lambda call: ("AlgorithmOptions" in call[2], "Range" not in call[0]))
