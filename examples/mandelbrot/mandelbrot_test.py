"""Tests mandelbrot: decodes its pictures and compares them, point by point, with the set as computed here."""

import pathlib
import struct
import sys
import tempfile
import unittest
import zlib

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
import example_test  # noqa: E402

FORMATS = sys.argv.pop().split(",")
INSIDE = (0, 0, 0)


def decode_png(data):
    """The rows of a PNG, 8 bits RGB without interlacing, as lists of (red, green, blue). Checks every checksum."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG signature")
    chunks, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        if struct.unpack_from(">I", data, at + 8 + length) != (zlib.crc32(kind + body),):
            raise ValueError(f"wrong checksum of {kind}")
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + length
    width, height, *layout = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if layout != [8, 2, 0, 0, 0] or chunks[b"IEND"] != b"":
        raise ValueError("not a complete PNG of 8 bits RGB")

    packed, stride = zlib.decompress(chunks[b"IDAT"]), 3 * width
    if len(packed) != height * (stride + 1):
        raise ValueError("wrong amount of pixels")
    above, pixels = bytearray(stride), bytearray()
    for y in range(height):
        kind, *row = packed[y * (stride + 1):(y + 1) * (stride + 1)]
        for i in range(stride):
            a, b, c = (row[i - 3] if i >= 3 else 0), above[i], (above[i - 3] if i >= 3 else 0)
            nearest = min((a, b, c), key=lambda value: abs(a + b - c - value))
            row[i] = (row[i] + (0, a, b, (a + b) // 2, nearest)[kind]) % 256
        above = row
        pixels += bytes(row)
    return example_test.to_rows(pixels, width, height)


def is_inside(point, iterations):
    z = 0
    for _ in range(iterations):
        if abs(z) > 256:
            return False
        z = z * z + point
    return True


class Mandelbrot(example_test.ExampleTest, example_test.BadOptions):
    takes_argument = False

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def draw(self, name, *arguments):
        """Draws into a file of this name. Returns its rows and what was printed."""
        path = self.folder / name
        output = self.succeed("--output", path, *arguments)
        return {".ppm": example_test.decode_ppm, ".png": decode_png}[path.suffix](path.read_bytes()), output

    def test_picture(self):
        width, height, iterations = 150, 101, 100
        for ending in FORMATS:
            rows, output = self.draw(f"picture.{ending}", "--width", width, "--height", height, "--iterations",
                                     iterations)
            self.assertIn(f"{width} x {height} pixels, at most {iterations} iterations".encode(), output)
            self.assertEqual((len(rows), {len(row) for row in rows}), (height, {width}))

            # Compilers may round differently, which decides single points at the edge.
            step = 2.5 / height
            wrong = 0
            for y, row in enumerate(rows):
                for x, colour in enumerate(row):
                    point = complex(-0.75 + step * (x + 0.5 - width / 2), step * (height / 2 - y - 0.5))
                    wrong += (colour == INSIDE) != is_inside(point, iterations)
            self.assertLessEqual(wrong, width * height // 1000)

            self.assertEqual(rows, rows[::-1], "the set is symmetric to the real axis")
            self.assertGreater(len({colour for row in rows for colour in row}), 3 * iterations, "no bands of colour")

    def test_formats_agree_whatever_the_number_of_threads(self):
        size = ("--width", 60, "--height", 40)
        first, _ = self.draw("first.ppm", *size, "--threads", 1)
        for threads in (2, 5):
            for ending in FORMATS:
                self.assertEqual(self.draw(f"{threads}.{ending}", *size, f"--threads={threads}")[0], first)

    def test_compare(self):
        _, output = self.draw("picture.ppm", "--width", 64, "--height", 48, "--compare")
        self.assertRegex(output, rb"(?m)^  serial +\d+\.\d\d ms$")
        self.assertRegex(output, rb"(?m)^  blitz, \d+ threads? +\d+\.\d\d ms   \d+\.\d\d x as fast$")

    def test_smallest_and_flattest_picture(self):
        self.assertEqual(self.draw("one.ppm", "--width", 1, "--height", 1)[0], [[INSIDE]])
        rows, _ = self.draw("flat.ppm", "--width", 32768, "--height", 1)
        self.assertNotIn(INSIDE, rows[0][:16000])
        self.assertIn(INSIDE, rows[0])

    def test_default_output(self):
        self.succeed("--width", 8, "--height", 8, cwd=self.folder)
        self.assertEqual([path.name for path in self.folder.iterdir()], [f"mandelbrot.{FORMATS[0]}"])

    def test_bad_output(self):
        self.fail_with(2, "--output: cannot write 'picture.jpeg'", "--output", "picture.jpeg")
        for ending in FORMATS:
            self.fail_with(1, "cannot write", "--width", 8, "--height", 8, "--output",
                           self.folder / "missing" / f"picture.{ending}")

    def test_bad_size(self):
        self.fail_with(2, "--width: '0' is not a whole number from 1 to 32768", "--width", 0)
        self.fail_with(2, "--compare takes no value", "--compare=yes")


if __name__ == "__main__":
    unittest.main()
