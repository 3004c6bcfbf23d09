"""Objects that lie to whoever asks them: the encoder does not ask."""

import json

import pytest

from truelap.values import compare

encode = pytest.importorskip("encode")
ENCODER = encode.make_encoder()


def encoded(value):
    return json.loads(json.dumps(ENCODER.encode(value)[0]))


def fail(*_, **__):
    raise AssertionError("asked")


class Meta(type):
    __hash__ = lambda cls: hash(int)  # noqa: E731
    __eq__ = lambda cls, other: True  # noqa: E731
    __instancecheck__ = __subclasscheck__ = lambda cls, other: True
    __getattribute__ = fail
    __call__ = type.__call__


class Mute:
    """Any question is an error."""

    __eq__ = __ne__ = __hash__ = __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = fail
    __getattr__ = __getattribute__ = __reduce__ = __reduce_ex__ = __getstate__ = __dir__ = __sizeof__ = fail
    __str__ = __format__ = __int__ = __index__ = __float__ = __complex__ = __bytes__ = __fspath__ = fail
    __array__ = __array_interface__ = __array_ufunc__ = __array_function__ = __length_hint__ = fail
    __class__ = property(fail)
    __dict__ = property(fail)


class MuteList(list):
    __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __getitem__ = __getattribute__ = __repr__ = (
        __reduce_ex__
    ) = fail
    __class__ = property(fail)


class MuteText(str):
    __slots__ = ()
    __eq__ = __hash__ = __str__ = __len__ = __getitem__ = __iter__ = __getattribute__ = __repr__ = encode_ = (
        fail
    )


class MuteInt(int):
    __eq__ = __hash__ = __int__ = __index__ = __add__ = __bool__ = __getattribute__ = __repr__ = fail


class MuteDict(dict):
    __eq__ = __len__ = __iter__ = __getitem__ = items = keys = values = __getattribute__ = __repr__ = fail
    __hash__ = fail


class MuteSet(set):
    __eq__ = __len__ = __iter__ = __contains__ = __getattribute__ = __repr__ = fail
    __hash__ = fail


class MuteError(ValueError):
    __eq__ = __hash__ = __str__ = __repr__ = __getattribute__ = fail
    args = property(fail)


class Number(metaclass=Meta):
    __class__ = int
    __eq__ = lambda self, other: True  # noqa: E731
    __hash__ = lambda self: 3  # noqa: E731


CONTENT = {
    "list": (MuteList, [1, 2], ["l", [1, 2]]),
    "text": (MuteText, "ab", "ab"),
    "int": (MuteInt, 7, 7),
    "dict": (MuteDict, {"a": 1}, ["d", [["a", 1]]]),
    "set": (MuteSet, {1}, ["st", [1]]),
}


@pytest.mark.parametrize("kind", CONTENT)
def test_content_of_a_lying_subclass_is_its_real_one(kind):
    make, content, expected = CONTENT[kind]
    assert encoded(make(content))[2] == expected
    assert compare(encoded(content), encoded(make(content))).kind == "type"


def test_nothing_is_asked():
    assert encoded(Mute())[:2] == ["o", f"{__name__}:Mute"]
    assert encoded(MuteError("a"))[2] == ["a"]


def test_a_class_that_claims_to_be_int_is_none():
    assert encoded(Number())[0] == "o"
    assert encoded(Number)[0] == "cls"
    assert compare(3, encoded(Number())).kind == "type"


def test_hostile_objects_inside_containers_and_as_keys():
    key = Number()
    assert encoded({key: [Mute()]})[1][0][0][0] == "o"
    assert encoded({Number(), 5})[0] == "st"


def test_a_dict_property_does_not_hide_the_real_state():
    class Base:
        pass

    class Liar(Base):
        @property
        def __dict__(self):
            return {"a": "lie"}

    liar = Liar()
    object.__setattr__(liar, "a", 1)
    assert encoded(liar)[2] == [["a", 1]]


class Texts:
    def __init__(self, said):
        self._said = said

    def __repr__(self):
        return self._said()


def test_a_repr_that_raises_recurses_or_is_no_plain_text():
    class Odd(str):
        __slots__ = ()
        __getitem__ = __iter__ = __eq__ = __hash__ = fail

    def forever():
        return forever()

    assert encoded(Texts(fail)) == ["no", "repr raised builtins:AssertionError"]
    assert encoded(Texts(forever)) == ["no", "repr raised builtins:RecursionError"]
    assert encoded(Texts(lambda: Odd("x")))[3] == "x"
    assert encoded(Texts(lambda: 3)) == ["no", "repr raised builtins:TypeError"]


def test_a_huge_repr_becomes_a_digest():
    assert encoded(Texts(lambda: "x" * 10**6))[3][0] == "big"


def test_what_ends_a_test_is_not_swallowed():
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encoded(Texts(stop))


def test_names_of_types_may_be_anything():
    odd = type("x" * 10, (), {"__module__": Mute()})
    assert encoded(odd()) == ["o", "?:xxxxxxxxxx", [], None]


def test_the_format_cannot_be_injected():
    class Fake(list):
        pass

    assert encoded(["sub", "collections:OrderedDict", ["d", []], []])[0] == "l"
    assert encoded(Fake(["f", "0x1p0"]))[0] == "sub"
