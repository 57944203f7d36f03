#!/usr/bin/env python3
"""Checks that each test declares the targets that make the files it uses, so that `meson test` builds all that a chosen
test needs.

    depends.py BUILD_DIR
"""

import json
import re
import subprocess
import sys


def introspected(build, what):
    result = subprocess.run(["meson", "introspect", build, what], check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


def complaints_about(tests, targets):
    """Complains about each test that uses a built file in its arguments or environment without depending on its target."""
    files = {name: target["id"] for target in targets for name in target["filename"]}
    for test in tests:
        for text in [*test["cmd"], *test["env"].values()]:
            for name, target in files.items():
                if re.search(re.escape(name) + r"(?![\w.])", str(text)) and target not in test["depends"]:
                    yield f"{test['name']} uses {name}, and does not depend on it"


def main():
    (build,) = sys.argv[1:]
    tests = introspected(build, "--tests")
    complaints = list(complaints_about(tests, introspected(build, "--targets")))
    # The check must notice a test that has lost its dependencies.
    some = next(test for test in tests if test["depends"] and not test["cmd"][0].endswith("python3"))
    if not list(complaints_about([{**some, "depends": []}], introspected(build, "--targets"))):
        complaints.append(f"nobody notices that {some['name']} has lost its dependencies")
    print("\n".join(complaints))
    print(f"{len(tests)} tests, {len(complaints)} complaints")
    return 1 if complaints or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
