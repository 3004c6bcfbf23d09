"""The encoder's view of objects whose type it does not know: their type's name, and the state that they hold.

Which state counts was decided by false alarms between honest releases and by what is left without evidence: public
attributes; where there are none, the object's own `repr`; where that is `object`'s, all attributes. (A `repr` first brings
sizes of caches and addresses into the comparison, private attributes first the freedom that an optimization needs.)
"""

import re
import types

from encode_leaf import collapse, text
from encode_walk import Frame, Met

MRO = type.__dict__["__mro__"].__get__
_VARS = type.__dict__["__dict__"].__get__
_MODULE = type.__dict__["__module__"].__get__
_QUALNAME = type.__dict__["__qualname__"].__get__
_GETSET = types.GetSetDescriptorType
_MEMBER = types.MemberDescriptorType
_PLAIN_REPR = object.__repr__
_GETATTR = getattr  # tests patch builtins
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+|\bid='?\d+'?|\btblen=\d+")
_ITERATORS = frozenset(("__next__", "__anext__", "__await__"))


def type_name(kind):
    """`module:qualname` as the type itself holds it, whatever its metaclass says."""
    try:
        module = _MODULE(kind)
    except AttributeError:
        module = "?"
    return text("%s:%s" % (module if type(module) is str else "?", _QUALNAME(kind)))


def address_free(said):
    """A text with memory addresses and mock ids taken out."""
    return _ADDRESS.sub("at 0x", said)


def long_text(walk, value):
    """Encode an exact text; a digest when it is long."""
    encoded = text(value)
    return collapse(encoded) if walk.leaf(len(value)) else encoded


def instance_dict(value, mro):
    """The real instance dictionary, past any `__dict__` property of the class; None where there is none."""
    for base in mro:
        entry = _VARS(base).get("__dict__")
        if type(entry) is _GETSET:
            try:
                found = entry.__get__(value)
            except (TypeError, AttributeError):
                return None
            return found if any(kind is dict for kind in MRO(type(found))) else None
    return None


def _cached(name, mro):
    # functools.cached_property and the like fill the instance dictionary when asked; who asked is not part of the value.
    for base in mro:
        if name in _VARS(base):
            kind = type(_VARS(base)[name])
            return kind is not _MEMBER and any("__get__" in _VARS(layer) for layer in MRO(kind))
    return False


def _attributes(value, mro):
    for base in mro:
        for name, member in list(_VARS(base).items()):
            if type(member) is _MEMBER and type(name) is str:
                try:
                    yield name, member.__get__(value)
                except (AttributeError, TypeError):
                    continue
    for name, content in list(dict.items(instance_dict(value, mro) or {})):
        if type(name) is str and not _cached(name, mro):
            yield name, content


def public_state(value, mro, asked=()):
    """Attributes without leading underscore, by name, read from the dictionary and the slots of the object alone.

    What else is `asked` for by name the object answers itself, unless it raises.
    """
    state = {name: part for name, part in _attributes(value, mro) if not name.startswith("_")}
    for name in asked:
        if name not in state:
            try:
                state[name] = _GETATTR(value, name)
            except Exception:
                continue
    return sorted(state.items(), key=_name)


def _asked(walk, name):
    return walk.shown.get(name, ()) if type(name) is str else ()


def _whole_state(value, mro):
    return sorted(dict(_attributes(value, mro)).items(), key=_name)


def _name(attribute):
    return attribute[0]


def _has_repr(mro):
    for base in mro:
        if "__repr__" in _VARS(base):
            return _VARS(base)["__repr__"] is not _PLAIN_REPR
    return False


def _said(value):
    """What the object says of itself, or an `["no", reason]`."""
    try:
        said = repr(value)
        return address_free(said if type(said) is str else str.__str__(said))
    except Exception as error:
        name = type_name(type(error))
        return ["no", "repr raised %s" % (name if type(name) is str else "?")]


def with_state(value, children, build, state):
    """A frame of `children` followed by the parts of `state`; `build` gets the first, and pairs of name and part."""
    count = len(children)
    names = [text(name) for name, _ in state]

    def finish(out):
        return build(out[:count], [list(pair) for pair in zip(names, out[count:])])

    return Frame(value, list(children) + [content for _, content in state], finish)


def encode_object(walk, value):
    """Encode an object of a type that is no kind of any known one."""
    mro = MRO(type(value))
    name = type_name(type(value))
    if id(value) in walk.met:
        return walk.met[id(value)].again(walk, name)
    if any(not _ITERATORS.isdisjoint(_VARS(base)) for base in mro):
        return ["no", "an iterator: %s" % (name if type(name) is str else "?")]
    state, said = public_state(value, mro, _asked(walk, name)), None
    if not state and _has_repr(mro):
        said = _said(value)
        if type(said) is list:
            return said
        said = long_text(walk, said)
    elif not state:
        state = _whole_state(value, mro)
    met = walk.met[id(value)] = Met(value)

    def build(_, pairs):
        met.told = ["o", name, pairs, said]
        return met.told

    return with_state(value, [], build, state)


def encode_subclass(walk, value, handler):
    """Encode an instance of a subclass of a known type: the type's content, and its own public state."""
    kind = type(value)
    content = handler(walk, value)
    frame = type(content) is Frame
    children = list(content.children) if frame else []

    name = type_name(kind)

    def build(out, pairs):
        return ["sub", name, content.build(out) if frame else content, pairs]

    return with_state(value, children, build, public_state(value, MRO(kind), _asked(walk, name)))
