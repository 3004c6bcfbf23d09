"""From a text to its sentences and words."""

_ENDS = ".!?"
_INNER = "'-"


def sentences(text):
    """The sentences of a text, without their end marks and outer blanks; empty ones are left out."""
    found, current = [], []
    for character in text:
        if character in _ENDS:
            found.append("".join(current).strip())
            current = []
        else:
            current.append(character)
    found.append("".join(current).strip())
    return [sentence for sentence in found if sentence]


def words(text):
    """The words of a text in order and in lower case. An apostrophe or hyphen counts inside a word only."""
    found, current = [], []
    for character in text.lower() + " ":
        if character.isalnum() or (character in _INNER and current):
            current.append(character)
        elif current:
            word = "".join(current).rstrip(_INNER)
            if word:
                found.append(word)
            current = []
    return found
