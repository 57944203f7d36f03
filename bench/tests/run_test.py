"""Runs bench/run with stand-ins for the build, `compare` and the installation of packages.

usage: run_test.py ROOT
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))

STAND_INS = {
    ".ci/install.sh": 'install_packages() { echo "packages: $*"; }\n',
    "bin/meson": "#!/bin/sh\n",
    "build-bench/build.ninja": "",
    "build-bench/examples/word_count": "#!/bin/sh\n",
    "build-bench/bench/compare": """#!/bin/sh
echo "compare: $*"
echo '{"scale": "quick", "threads": [2], "results": []}' > "$2"
""",
    "bench/charts.py": 'print("drawn")\n',
}


class RunTest(unittest.TestCase):
    def run_it(self, *arguments):
        """Returns the lines."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in STAND_INS.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                path.chmod(0o755)
            for name in ("run", "conclusion.py", "baseline.py", "records.py"):
                shutil.copy(ROOT / "bench" / name, pathlib.Path(folder, "bench"))
            environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
            command = [pathlib.Path(folder, "bench", "run"), *arguments]
            return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()

    def test_the_default_is_quick_and_ends_with_a_conclusion(self):
        lines = self.run_it()
        self.assertIn("compare: --json build-bench/comparison.json --quick", lines)
        self.assertIn("On this machine, with 2 threads:", lines)

    def test_options_are_passed_on(self):
        self.assertIn("compare: --json build-bench/comparison.json --only fib --aims", self.run_it("--only", "fib", "--aims"))

    def test_matplotlib_is_installed_only_for_charts(self):
        lines = self.run_it()
        self.assertNotIn("matplotlib", "".join(lines))
        self.assertNotIn("drawn", lines)
        lines = self.run_it("--charts", "--smoke")
        self.assertIn("compare: --json build-bench/comparison.json --smoke", lines)
        self.assertLess(lines.index("packages: python3-matplotlib"), lines.index("drawn"))
        self.assertIn("compare: --json build-bench/comparison.json --quick", self.run_it("--charts"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
