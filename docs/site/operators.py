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
                    run = re.search(r" run\(([^)]*)\)", body)[1]
                    self.packs[name] = re.split(r",\s+", run)[-pack[1].count(","):] if pack[1] else []
                self.bases[name] = [] if hides else [base for base in re.findall(r"[A-Z]\w+", bases) if base != name]
            self.objects.update({name: (type_name, argument) for type_name, argument, name in self.OBJECT.findall(text)})

    def of_class(self, name):
        calls = self.calls.get(name, []) + [call for base in self.bases.get(name, []) for call in self.of_class(base)]
        default = self.defaults.get(name, "Default")
        calls = [[part.replace("= Default", f"= {default}") for part in call] for call in calls]
        if name in self.packs:
            calls = [[*call[:-1], self.without_pack(call[-1], self.packs[name])] for call in calls]
        return calls

    @staticmethod
    def without_pack(arguments, others):
        """The parameters of a call, with others in place of the pack at their end."""
        return re.sub(r", [\w &]+\.\.\. \w+$", "".join(f", {other}" for other in others), arguments)

    def counted(self, call, algorithm):
        """f(first, count, argument...) for an algorithm that has f(first, last, argument...)."""
        if not re.search(r"\.\.\. \w+$", call[2]):
            return call
        others = next(other[2] for other in self.of_class(algorithm) if re.match(r"\w+ first, ", other[2])).split(", ")[2:]
        others = [f"const auto& {other.split()[-1]}" for other in others]
        return [re.sub(r", class\.\.\. \w+", "", call[0]), call[1], self.without_pack(call[2], others)]

    def of(self, name):
        """(template parameters, result, parameters) of each form: with a range first, with options last."""
        type_name, argument = self.objects[name]
        algorithm = re.sub(r"^<detail::(\w+).*", r"\1", argument)
        calls = {tuple(self.counted(call, algorithm)): None for call in self.of_class(type_name)}
        return sorted(calls, key=lambda call: ("AlgorithmOptions" in call[2], "Range" not in call[0]))
