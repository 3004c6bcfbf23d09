from wordmill import sentences, words


def test_words_are_lower_case(story):
    assert words(story)[:5] == ["the", "mill", "turns", "the", "miller"]


def test_marks_inside_a_word_stay(story):
    assert "mill-wheel" in words(story)
    assert "doesn't" in words(story)


def test_marks_outside_a_word_go():
    assert words("'tis -- a dog's' life-") == ["tis", "a", "dog's", "life"]


def test_no_words_in_nothing():
    assert words("") == []
    assert words(" ... ") == []


def test_sentences_lose_their_marks(story):
    assert sentences(story)[:2] == ["The mill turns", "The miller sings"]
    assert len(sentences(story)) == 4


def test_the_last_sentence_needs_no_mark():
    assert sentences("One. Two") == ["One", "Two"]
