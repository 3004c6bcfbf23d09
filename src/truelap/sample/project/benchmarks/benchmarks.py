"""What wordmill is used for, timed."""

from wordmill import closest, collocations, frequencies, words

from .text import make_text, make_words, word


class Text:
    def setup(self):
        self.text = make_text(2000)

    def time_words(self):
        words(self.text)


class Counts:
    def setup(self):
        self.words = make_words(2000)

    def time_frequencies(self):
        frequencies(self.words)

    def time_collocations(self):
        collocations(self.words[:600], 2)


class Distance:
    def setup(self):
        self.vocabulary = [word(number) for number in range(0, 600, 5)]

    def time_closest(self):
        closest("kenura", self.vocabulary)
