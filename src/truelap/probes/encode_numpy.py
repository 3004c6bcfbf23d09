"""The encoder's handlers for numpy's scalars, arrays and dtypes.

They are recognised by identity with the types of the module that the runner imported before any foreign code, and read
through methods taken from those types then. Padding, pointers and other bytes without meaning are never part of a value.
"""

from encode_leaf import NEAR_BITS, TINY, Exact, raw_array, sha256, text
from encode_objects import MRO, instance_dict, public_state, type_name
from encode_walk import Frame, TooLargeError

_RAW_KINDS = "biufcmMSUV"
ROWS, CLIPPED_ROWS = 256, 32
"""So many sums stand for a long array of floats, and for one in which nothing is larger than each of these."""
_CLIPS = [2.0**power for power in range(-30, 31, 10)]
_LARGEST = 2.0**960
"""Sums of millions of these are still numbers."""
_STEP, _WORD = 2654435761, 4294967296
"""Weights from 1 to 2, so that no two parts of a row can be exchanged unseen."""


def _pairs(names, out):
    return [[text(name), part] for name, part in zip(names, out)]


class Numpy:
    """The real numpy's methods, kept.

    Args:
        numpy: the module.
    """

    def __init__(self, numpy):
        array, scalar = numpy.ndarray, numpy.generic
        self.module = numpy
        self.array_type = array
        self.scalars = {id(kind) for kind in numpy.sctypeDict.values()}
        self.get = {
            name: array.__dict__[name].__get__
            for name in ("dtype", "shape", "flags", "nbytes", "tobytes", "tolist")
        }
        self.ravel, self.view, self.item = array.ravel, array.view, array.__getitem__
        self.scalar_dtype = scalar.__dict__["dtype"].__get__
        self.scalar_bytes = scalar.__dict__["tobytes"]
        self.void_item = numpy.void.__getitem__
        self.long_text = numpy.longdouble.__str__
        self.clong_text = numpy.clongdouble.__str__
        self.kept = [getattr(numpy, name) for name in ("isfinite", "where", "frexp", "ldexp", "rint", "abs")]
        self.arange, self.reduceat = numpy.arange, numpy.add.reduceat
        self.minimum, self.maximum, self.errstate = numpy.minimum, numpy.maximum, numpy.errstate

    def floats(self, array, dtype):
        """The numbers of a float array in a row, complex ones in two parts; None for other types."""
        if dtype.kind not in "fc" or dtype.itemsize // (2 if dtype.kind == "c" else 1) > 8:
            return None
        return self.ravel(array).astype("<c16" if dtype.kind == "c" else "<f8").view("<f8")

    def sums(self, flat):
        """What a digest of floats cannot say: the digest of what is not finite, and in rows the sums of the rest and of its sizes.

        Like those of `encode_large`, so that the judge can hold them against a tolerance. One large number would hide what else
        is in its row: so once more with all numbers cut down to a largest size, for some sizes.
        """
        isfinite, where = self.kept[:2]
        finite = isfinite(flat)
        odd = where(finite, 0.0, where(flat != flat, float("nan"), flat))
        count = self.get["shape"](flat)[0]
        places = self.arange(count, dtype="<u8") * _STEP & _WORD - 1
        numbers, weights = where(finite, flat, 0.0), places / float(_WORD) + 1.0
        sums = [self.rows(numbers, weights, _LARGEST, ROWS)]
        sums += [self.rows(numbers, weights, clip, CLIPPED_ROWS) for clip in _CLIPS]
        return [sha256(odd.tobytes()), sums]

    def rows(self, numbers, weights, largest, rows):
        count = self.get["shape"](numbers)[0]
        weighed = self.maximum(self.minimum(numbers, largest), -largest) * weights
        starts = self.arange(0, count, -(-count // rows))
        both = [self.reduceat(part, starts).tolist() for part in (weighed, self.kept[-1](weighed))]
        return [count, [[Exact(part.hex()) for part in row] for row in zip(*both)]]

    def near(self, flat):
        """The digest of floats that are rounded as `encode.near` does."""
        isfinite, where, frexp, ldexp, rint, absolute = self.kept
        finite = isfinite(flat)
        mantissa, exponent = frexp(where(finite, flat, 0.0))
        rounded = ldexp(rint(ldexp(mantissa, NEAR_BITS)), exponent - NEAR_BITS)
        rounded = where(absolute(rounded) < TINY, 0.0, rounded) + 0.0
        rounded = where(finite, rounded, where(flat != flat, float("nan"), flat))
        return str(sha256(rounded.tobytes()))

    def order(self, array):
        flags = self.get["flags"](array)
        return ("C" if flags["C_CONTIGUOUS"] else "") + ("F" if flags["F_CONTIGUOUS"] else "") or "-"

    def array(self, walk, value):
        """Encode an exact ndarray."""
        dtype = self.get["dtype"](value)
        head = [dtype.str, list(self.get["shape"](value)), self.order(value)]
        if dtype.names is not None:
            return self._structured(value, dtype.names, head)
        if dtype.kind not in _RAW_KINDS or (
            dtype.kind in "fc" and dtype.itemsize in (16, 32) and dtype.str[1:] != "c16"
        ):
            return self._elements(walk, value, head)
        nbytes = self.get["nbytes"](value)
        if walk.leaf(nbytes):
            exact, flat = sha256(self.get["tobytes"](value)()), self.floats(value, dtype)
            if flat is None:
                return ["abig", *head, [], exact, str(exact)]
            # What numpy is told to warn of, or to raise, is the affair of whoever told it.
            with self.errstate(all="ignore"):
                return ["abig", *head, self.sums(flat), exact, self.near(flat)]
        return ["a", *head, raw_array(dtype.str, self.get["tobytes"](value)())]

    def _structured(self, value, names, head):
        fields = [self.item(value, name) for name in names]
        return Frame(value, fields, lambda out: ["as", *head[1:], _pairs(names, out)])

    def _elements(self, walk, value, head):
        flat = self.ravel(value)
        if self.get["shape"](flat)[0] > walk.limits.nodes:
            raise TooLargeError("more than %d parts" % walk.limits.nodes)
        return Frame(value, self.get["tolist"](flat)(), lambda out: ["ao", *head, out])

    def subclass(self, walk, value):
        """Encode an array of a subclass (or an exact one): the plain array inside and its public state."""
        kind = type(value)
        if kind is self.array_type:
            return self.array(walk, value)
        mro = MRO(kind)
        state = public_state(value, mro)
        mask = (instance_dict(value, mro) or {}).get("_mask")
        state += [] if mask is None else [("_mask", mask)]
        plain = self.view(value, self.array_type)
        names = [name for name, _ in state]

        def build(out):
            return ["sub", type_name(kind), out[0], _pairs(names, out[1:])]

        return Frame(value, [plain] + [part for _, part in state], build)

    def scalar(self, walk, value):
        """Encode a numpy scalar."""
        dtype = self.scalar_dtype(value)
        if dtype.names is not None:
            fields = [self.void_item(value, name) for name in dtype.names]
            return Frame(value, fields, lambda out: ["as", [], "CF", _pairs(dtype.names, out)])
        if dtype.kind in "fc" and dtype.itemsize in (16, 32) and dtype.str[1:] != "c16":
            said = (self.long_text if dtype.kind == "f" else self.clong_text)(value)
            return ["v", "longdouble", said]
        walk.leaf(dtype.itemsize)
        encoded = ["n", dtype.str, raw_array(dtype.str, self.scalar_bytes(value))]
        if id(type(value)) in self.scalars:
            return encoded
        return ["sub", type_name(type(value)), encoded, []]

    def dtype(self, walk, value):
        return Frame(
            value, [value.descr if value.names is not None else value.str], lambda out: ["v", "dtype", *out]
        )


def exact(numpy):
    return [(numpy.ndarray, Numpy(numpy).array)]


def natures(numpy):
    """Handlers for numpy's base types, to be looked for along the type's bases."""
    kept = Numpy(numpy)
    return [(numpy.generic, kept.scalar), (numpy.ndarray, kept.subclass), (numpy.dtype, kept.dtype)]
