"""The walk over a value: without recursion, within limits, past cycles."""

from encode_leaf import collapse


class TooLargeError(Exception):
    """The value has more items or bytes than the encoder is willing to walk.

    Args:
        reason: in words.
        value: the part that is too large by itself; None where it is all of them together.
    """

    def __init__(self, reason, value=None):
        super().__init__(reason)
        self.value = value


class Frame:
    """A value whose parts are still to be encoded: `build` gets their encodings, in order."""

    __slots__ = ("build", "children", "ident", "out", "source")

    def __init__(self, source, children, build):
        self.source = source
        self.ident = id(source)
        self.children = iter(children)
        self.build = build
        self.out = []


class Met:
    """An object that has been told, and how; it is kept alive, so that no other one gets its address."""

    __slots__ = ("label", "told", "value")

    def __init__(self, value):
        self.value = value
        self.told = None
        self.label = None

    def again(self, walk, name):
        """What stands for the object from now on; what was told of it gets a number to be found by."""
        if self.label is None:
            self.label, walk.labels = walk.labels, walk.labels + 1
            self.told.append(["label", self.label])
        return ["again", name, self.label]


class Limits:
    """How much is kept and how much is walked.

    Attributes:
        depth: levels of nesting kept; below it stand digests.
        size: about how many bytes an encoding may have before it becomes one digest.
        leaf: the same for one text, bytes object or array.
        whole: parts up to which a long value becomes one digest; above it floats are summed up instead.
        nodes: parts walked at most; above it only a sample is told.
        read: bytes of leaves read at most.
    """

    __slots__ = ("depth", "leaf", "nodes", "read", "size", "whole")

    def __init__(self, depth=24, size=1 << 16, leaf=1 << 14, whole=50_000, nodes=200_000, read=1 << 26):
        self.depth = depth
        self.size = size
        self.leaf = leaf
        self.whole = whole
        self.nodes = nodes
        self.read = read


class Walk:
    """The state of one encoding; handlers get it to count what they read."""

    __slots__ = (
        "active",
        "exact",
        "labels",
        "limits",
        "met",
        "nodes",
        "other",
        "read",
        "shown",
        "size",
        "stack",
    )

    def __init__(self, exact, other, limits, shown):
        self.exact = exact
        self.other = other
        self.limits = limits
        self.shown = shown
        self.active = {}
        self.met = {}
        self.labels = 0
        self.stack = []
        self.nodes = 0
        self.read = 0
        self.size = 0

    def leaf(self, size):
        """Count `size` bytes of one leaf; True when it is too long to be kept."""
        long = size > self.limits.leaf
        self.size += 128 if long else size
        self.read += size
        if self.read > self.limits.read:
            raise TooLargeError("more than %d bytes" % self.limits.read)
        return long

    def run(self, value):
        """Encode `value` without recursion: hostile nesting must not end in a stack overflow."""
        pending = self._open(value)
        while True:
            if type(pending) is Frame:
                self.active[pending.ident] = len(self.stack)
                self.stack.append(pending)
            elif self.stack:
                self.stack[-1].out.append(pending)
            else:
                return pending
            following = self._next()
            if type(following) is tuple:
                return following[0]
            pending = self._open(following[0])

    def _next(self):
        """The next part to encode, in a list; or the finished encoding, in a tuple."""
        while True:
            frame = self.stack[-1]
            for child in frame.children:
                return [child]
            self.stack.pop()
            del self.active[frame.ident]
            built = frame.build(frame.out)
            depth = len(self.stack)
            if depth and depth % self.limits.depth == 0:
                built = collapse(built)
            if not depth:
                return (built,)
            self.stack[-1].out.append(built)

    def _open(self, value):
        self.nodes += 1
        self.size += 8
        if self.nodes > self.limits.nodes:
            raise TooLargeError("more than %d parts" % self.limits.nodes)
        if id(value) in self.active:
            return ["up", len(self.stack) - self.active[id(value)]]
        kind = type(value)
        handler = self.exact.get(id(kind))
        if handler is None:
            handler = self.other
        return handler(self, value)
