"""A text with a hundred different words, the same on every run."""

_SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "to", "vi", "zu")


def word(number):
    """A made-up word for a number from 0 on."""
    syllables = [_SYLLABLES[number % 10], _SYLLABLES[number // 10 % 10], _SYLLABLES[number // 100 % 10]]
    return "".join(syllables)


def make_words(count):
    """`count` words; small numbers come up more often than large ones."""
    state, found = 12345, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        found.append(word(state % 149 * (state // 149 % 149) // 149))
    return found


def make_text(count):
    """A text of `count` words in sentences of nine."""
    found = make_words(count)
    return ". ".join(" ".join(found[i : i + 9]).capitalize() for i in range(0, count, 9))
