"""What a build left in its tree: regular files are read as bytes, everything else and all bytecode stays behind."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.model import EXECUTABLE, REGULAR, SYMLINK, shown
from truelap.world.files import Held, TreeOnDisk, copy_tree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_CHUNK = 1 << 20
_OLD_NS = 315_619_200 * 10**9  # 2 January 1980: archives know no time before that year
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class Product:
    """One file that a build made. `size` is in bytes."""

    path: bytes
    source: Path
    mode: int
    sha256: str
    size: int

    def content(self, limit: int) -> bytes | None:
        """Its bytes, or None when there are more than `limit`."""
        return self.source.read_bytes() if self.size <= limit else None


def products(root: Path, paths: Iterable[bytes]) -> tuple[Product, ...]:
    """Those of the paths below `root` that hold regular files with content to keep, sorted by path."""
    found = (_product(root, path) for path in sorted(paths) if not _is_bytecode(path))
    return tuple(product for product in found if product is not None)


def size_of(root: Path, paths: Iterable[bytes]) -> int:
    """Bytes that `products` would read at these paths, by what the file system says of their sizes; none is opened.

    A file with holes counts as long as it is, since that is what reading it costs.
    """
    return sum(_bytes_in(root / os.fsdecode(path)) for path in paths if not _is_bytecode(path))


def _bytes_in(path: Path) -> int:
    try:
        facts = path.lstat()
    except OSError:
        return 0
    return facts.st_size if stat.S_ISREG(facts.st_mode) else 0


def with_products(tree: TreeOnDisk, made: Iterable[Product], into: Path) -> TreeOnDisk:
    """A copy of a tree with the products in it, under a manifest that holds both.

    Raises:
        WorldError: a product is no longer what it was when it was read.
    """
    copy = copy_tree(tree, into)
    manifest = dict(copy.manifest)
    for product in made:
        if any(folder in manifest and manifest[folder].mode == SYMLINK for folder in _folders(product.path)):
            raise WorldError(f"{shown(product.path)}: a build put a file below what is a link in the tree")
        target = copy.root / os.fsdecode(product.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            target.unlink()
        _copy(product, target)
        manifest[product.path] = Held(product.mode, product.sha256, product.size)
    return TreeOnDisk(copy.root, manifest)


def _folders(path: bytes) -> list[bytes]:
    parts = path.split(b"/")[:-1]
    return [b"/".join(parts[: n + 1]) for n in range(len(parts))]


def written_since(root: Path, paths: Iterable[bytes], moment_ns: int) -> frozenset[bytes]:
    """Those of the files that were written after a moment (nanoseconds since the epoch), with the same bytes or others."""
    return frozenset(path for path in paths if _modified_ns(root / os.fsdecode(path)) > moment_ns)


def make_old(root: Path, paths: Iterable[bytes]) -> None:
    """Set the files back to a time before any build: what goes by times makes them anew, and `remade` sees that."""
    for path in paths:
        os.utime(root / os.fsdecode(path), ns=(_OLD_NS, _OLD_NS), follow_symlinks=False)


def remade(root: Path, paths: Iterable[bytes]) -> frozenset[bytes]:
    """Those of the files that are there, and not as old as `make_old` leaves them."""
    return frozenset(path for path in paths if _modified_ns(root / os.fsdecode(path)) not in {0, _OLD_NS})


def _modified_ns(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return 0


def _is_bytecode(path: bytes) -> bool:
    # A stale one would win over the source beside it, and a fresh one is made anew in each step.
    return path.endswith((b".pyc", b".pyo")) or b"__pycache__" in path.split(b"/")


def _product(root: Path, path: bytes) -> Product | None:
    source = root / os.fsdecode(path)
    try:
        fd = os.open(source, _READ)
    except OSError:
        return None
    facts = os.fstat(fd)
    if not stat.S_ISREG(facts.st_mode):
        os.close(fd)
        return None
    with os.fdopen(fd, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    mode = EXECUTABLE if facts.st_mode & 0o111 else REGULAR
    return Product(path, source, mode, digest, facts.st_size)


def _copy(product: Product, target: Path) -> None:
    digest = hashlib.sha256()
    with product.source.open("rb") as source, target.open("xb") as copy:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            copy.write(chunk)
    if digest.hexdigest() != product.sha256:
        raise WorldError(f"{product.source}: changed after its build had ended")
    target.chmod(product.mode & 0o777)
