"""Code shared by the tests of the examples: the program under test, the bad options that all examples refuse, pictures."""

import os
import shlex
import subprocess
import sys
import unittest

_PROGRAM = shlex.split(os.environ.get("MESON_EXE_WRAPPER", "")) + [os.path.abspath(sys.argv.pop(1))]


def start(*arguments, **options):
    """Runs the program and returns the result of subprocess.run, with the output as bytes."""
    command = _PROGRAM + [str(argument) for argument in arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)


class ExampleTest(unittest.TestCase):
    """Runs the program and checks its exit status."""

    def succeed(self, *arguments, **options):
        """Expects status 0 and a silent stderr. Returns what the program printed."""
        result = start(*arguments, **options)
        self.assertEqual((result.returncode, result.stderr), (0, b""), arguments)
        return result.stdout

    def fail_with(self, status, message, *arguments):
        """Expects this status, this text in the message on stderr, and an empty stdout."""
        result = start(*arguments)
        self.assertEqual(result.returncode, status, arguments)
        self.assertIn(message, result.stderr.decode())
        self.assertEqual(result.stdout, b"", arguments)


class BadOptions:
    """A mixin for an ExampleTest: tests the behaviour of support/options.hpp, which all examples share."""

    def test_help(self):
        self.assertIn(b"usage: ", self.succeed("--help"))
        self.assertIn(b"--threads N", self.succeed("-h"))

    def test_unknown_option(self):
        self.fail_with(2, "unknown option '--nonsense'", "--nonsense")
        self.fail_with(2, "unknown option '--nonsense'", "--nonsense=3")

    def test_missing_value(self):
        self.fail_with(2, "--threads needs a value", "--threads")

    def test_bad_number(self):
        for value in ("", "x", "3x", "-1", "1.5", "1025", "99999999999999999999999"):
            self.fail_with(2, f"--threads: '{value}' is not a whole number from 0 to 1024", "--threads", value)
            self.fail_with(2, f"--threads: '{value}' is not a whole number from 0 to 1024", f"--threads={value}")

    def test_unexpected_argument(self):
        arguments = ["one", "two"] if self.takes_argument else ["one"]
        self.fail_with(2, f"unexpected argument '{arguments[-1]}'", *arguments)


def decode_ppm(data):
    """The rows of a binary PPM as lists of (red, green, blue)."""
    magic, size, maximum, pixels = data.split(b"\n", 3)
    width, height = map(int, size.split())
    if magic != b"P6" or maximum != b"255" or len(pixels) != 3 * width * height:
        raise ValueError("not a PPM of 8 bits")
    return to_rows(pixels, width, height)


def to_rows(pixels, width, height):
    colours = list(zip(pixels[0::3], pixels[1::3], pixels[2::3]))
    return [colours[y * width:(y + 1) * width] for y in range(height)]
