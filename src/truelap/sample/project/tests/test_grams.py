from wordmill import bigrams, collocations, words


def test_bigrams_overlap():
    assert bigrams(["a", "b", "c"]) == [("a", "b"), ("b", "c")]


def test_one_word_has_no_bigram():
    assert bigrams(["a"]) == []


def test_collocations_of_a_story(story):
    assert collocations(words(story), 2) == [(("mill", "turns"), 2), (("the", "mill"), 2), (("turns", "the"), 2)]


def test_rare_neighbours_are_left_out(story):
    assert collocations(words(story), 3) == []
