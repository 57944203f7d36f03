"""Runs a program of the guide or the cookbook: guide_test.py PROGRAM OUTPUT. Exits with 1 if it prints another text."""

import subprocess
import sys

program, expected = sys.argv[1:]
printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout.strip()
if printed != expected:
    sys.exit(f"printed {printed!r} instead of {expected!r}")
