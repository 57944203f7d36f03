"""Compares median_filter with medians computed in Python; the program itself compares its picture with a serial one."""

import pathlib
import random
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
import example_test  # noqa: E402


def medians(rows, radius):
    """For each pixel and colour, the middle item of the sorted square (the upper one if the number is even)."""
    height, width = len(rows), len(rows[0])

    def pixel(y, x):
        square = [rows[v][u] for v in range(max(0, y - radius), min(height, y + radius + 1))
                  for u in range(max(0, x - radius), min(width, x + radius + 1))]
        return tuple(sorted(colour)[len(square) // 2] for colour in zip(*square))

    return [[pixel(y, x) for x in range(width)] for y in range(height)]


class MedianFilter(example_test.ExampleTest, example_test.BadOptions):
    takes_argument = True

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def read(self, name):
        return example_test.decode_ppm((self.folder / name).read_bytes())

    def filter(self, *arguments):
        self.succeed(*arguments, "--output", self.folder / "out.ppm")
        return self.read("out.ppm")

    def test_picture_of_one(self):
        for width, height, radius, threads in ((37, 29, 1, 2), (1, 40, 2, 2), (90, 5, 3, 5), (20, 20, 0, 1), (9, 7, 20, 2)):
            numbers = random.Random(width)
            rows = [[tuple(numbers.choices(range(256), k=3)) for _ in range(width)] for _ in range(height)]
            pixels = bytes(part for row in rows for pixel in row for part in pixel)
            (self.folder / "in.ppm").write_bytes(b"P6\n%d %d\n255\n" % (width, height) + pixels)
            found = self.filter(self.folder / "in.ppm", "--radius", radius, "--threads", threads)
            self.assertEqual(found, medians(rows, radius))

    def test_generated(self):
        found = self.filter("--width", 60, "--height", 40, "--before", self.folder / "before.ppm")
        before = self.read("before.ppm")
        self.assertEqual(found, medians(before, 2))
        self.assertGreater(sum(row.count((0, 0, 0)) + row.count((255, 255, 255)) for row in before), 60 * 40 // 20)

    def test_bad_files(self):
        self.fail_with(2, "cannot write 'picture.jpeg'", "--output", "picture.jpeg")
        self.fail_with(1, "is no PPM of 8 bits", "/missing/in.ppm")
        for text, message in ((b"P6\n2 2\n255\n123456", "ends before its last pixel"), (b"P5\n2 2\n255\n", "is no PPM"),
                              (b"P6\n0 2\n255\n", "is no PPM")):
            (self.folder / "in.ppm").write_bytes(text)
            self.fail_with(1, message, self.folder / "in.ppm")


if __name__ == "__main__":
    unittest.main()
