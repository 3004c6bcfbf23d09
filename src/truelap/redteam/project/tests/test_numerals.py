import unittest

from tallybook import from_roman, roman


class Numerals(unittest.TestCase):
    def test_to_roman(self):
        self.assertEqual(roman(1994), "MCMXCIV")
        self.assertEqual(roman(4), "IV")

    def test_from_roman(self):
        self.assertEqual(from_roman("MMXXIV"), 2024)

    def test_there_and_back(self):
        for number in (1, 9, 40, 444, 3999):
            self.assertEqual(from_roman(roman(number)), number)

    def test_unknown_letters(self):
        with self.assertRaises(KeyError):
            from_roman("ABC")
