"""What base's tests send: sorted by place, and how far it can be relied on."""

import pytest

from truelap.checks.tests.attest_known import learn, read


@pytest.mark.parametrize("event", [[1, 0], [1, 0, 1, 1], ["1", 0, 1], [True, 0, 1], [1, 0.5, 1], {}, None, 3])
def test_events_that_are_none(event):
    with pytest.raises(ValueError, match="event"):
        read([event])


@pytest.mark.parametrize(
    ("again", "stability"),
    [([1, 2], "exact"), ([2, 1], "unordered"), ([1, 3], "unstable"), ([1], "uncounted")],
)
def test_how_far_a_place_can_be_relied_on(again, stability):
    first, second = ({(7, 0): sent} for sent in ([1, 2], again))
    (known,) = learn([first, second]).values()
    assert (known.stability, known.values) == (stability, (1, 2))
