"""Compares log_top with counts made in Python, on lines of real formats and on a generated log."""

import collections
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
import example_test  # noqa: E402

DPKG = """\
2025-06-24 14:36:25 startup archives unpack
2025-06-24 14:36:25 upgrade libsystemd0:amd64 252.36-1~deb12u1 252.38-1~deb12u1
2025-06-24 14:36:25 status triggers-pending libc-bin:amd64 2.36-9+deb12u10
2025-06-24 14:36:25 status half-configured libsystemd0:amd64 252.36-1~deb12u1
2025-06-24 14:36:26 status unpacked libsystemd0:amd64 252.38-1~deb12u1
"""
WEB = """\
198.51.100.7 - - [10/Oct/2024:13:55:36 -0700] "GET /a.html HTTP/1.0" 200 2326 "-" "Mozilla/5.0 (X11)"
198.51.100.7 - - [10/Oct/2024:13:55:37 -0700] "GET /b.html HTTP/1.0" 404 153 "-" "Mozilla/5.0 (X11)"
2001:db8::1 - alice [10/Oct/2024:13:55:39 -0700] "GET /a.html HTTP/1.0" 304 - "http://x/" "curl/8.5.0"

2001:db8::1 - alice [10/Oct/2024:13:55:41 -0700] "POST /a.html HTTP/1.1" 200 100 "-" "curl/8.5.0"
"""


class LogTop(example_test.ExampleTest, example_test.BadOptions):
    takes_argument = True

    def top(self, log, *arguments):
        """Returns the lines of the table, split. `log` is the text of a log; None stands for a generated one."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "log")
            file.write_text(log or "")
            output = self.succeed(*([file] if log else []), *arguments).decode()
        self.assertRegex(output, r"(?m)^  blitz, \d+ threads? +\d+\.\d\d ms   \d+\.\d\d x as fast$")
        return [line.split() for line in re.findall(r"(?m)^ +\d+ .*$", output)]

    def test_package_manager(self):
        self.assertEqual(self.top(DPKG, "--field", 3, "--sum", 0), [["3", "status"], ["1", "startup"], ["1", "upgrade"]])
        self.assertEqual(self.top(DPKG, "--field=5", "--sum=0", "--containing= status ", "--top=1"),
                         [["2", "libsystemd0:amd64"]])

    def test_web_server(self):
        self.assertEqual(self.top(WEB), [["3", "2426", "/a.html"], ["1", "153", "/b.html"]])
        self.assertEqual(self.top(WEB, "--field", 1, "--containing", '" 404 '), [["1", "153", "198.51.100.7"]])
        self.assertEqual(self.top(WEB, "--top", 0), [])

    def test_many_lines_on_any_number_of_threads(self):
        lines = [f"{i * i % 1009} x{' ' * (i % 50)} {i}\r" for i in range(30_000)]
        lines[1234] = "y" * 20_000  # longer than the text that one thread searches in one step
        counts, sums = collections.Counter(), collections.Counter()
        for line in lines:
            fields = line.split()
            counts[fields[0]] += 1
            sums[fields[0]] += int(fields[2]) if len(fields) > 2 else 0
        top = sorted(counts, key=lambda key: (-counts[key], key))
        expected = [[str(counts[key]), str(sums[key]), key] for key in top]
        for threads in (1, 2, 5):
            found = self.top("\n".join(lines), "--field=1", "--sum=3", "--top=1000000", f"--threads={threads}")
            self.assertEqual(found, expected)

    def test_generated(self):
        found = self.top(None, "--megabytes", 3, "--field", 9, "--containing", "GET")
        self.assertEqual(sorted(key for _, _, key in found), ["200", "404"])
        self.assertGreater(sum(int(lines) for lines, _, _ in found), 20_000)

    def test_bad_file(self):
        self.fail_with(1, "cannot read /missing/log", "/missing/log")


if __name__ == "__main__":
    unittest.main()
