"""The private store: one bare repository of ours that holds base, submission and candidate as trees, and no history.

No tree is ever checked out by git, and no byte of a submission is read as configuration, attribute or ignore rule.
"""

from __future__ import annotations

from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from truelap.model import GITLINK, Entry
from truelap.world.git_blobs import BlobWriter, read_blobs, reader, write_blobs
from truelap.world.git_directory import import_directory
from truelap.world.git_import import Imported, import_revision
from truelap.world.git_listing import list_files
from truelap.world.git_process import MEMORY_BYTES, Git, GitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from truelap.world.git_import import Submitted
    from truelap.world.git_listing import TreeFile

NO_BLOB = "0" * 40
"""Stands where an entry has no content."""

EntryTuple = tuple[bytes, int, str]
"""Path, mode and blob; mode 0 takes the path away."""

_HINT = ' (allow with "--allow-empty")'
"""git's advice, on an option that nobody here can give."""
# What git says, among other things, when it is refused memory.
_NO_MEMORY = "ut of memory"
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index")


class Applied(NamedTuple):
    """What became of a diff: `tree` when all of it applied, `error` when it did not."""

    tree: str | None
    error: str | None
    too_large: bool = False
    """Whether it did not because git ran out of the memory that it may take."""


class Counts(NamedTuple):
    """Size of a difference: files, added and removed lines; what looks binary to git has none."""

    files: int
    added_lines: int
    removed_lines: int


class Store:
    """A bare repository that only truelap writes.

    Args:
        folder: an existing store; `create` makes one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git = Git(folder)

    @classmethod
    def create(cls, folder: Path) -> Store:
        """Make an empty store in a folder that is absent or empty."""
        folder.mkdir(parents=True, exist_ok=True)
        store = cls(folder)
        store.git.run("init", "--quiet", "--bare", "--template=", "--object-format=sha1")
        return store

    def import_revision(self, repo: Path, revision: str, of: Submitted | None = None) -> Imported:
        """Bring the tree of a revision in; every object is hashed anew, and none of the history comes along.

        Gitlinks are left out of the tree and named in the answer.

        Args:
            repo: a repository's root folder; only its objects and references are read.
            revision: a commit id, branch or tag.
            of: for the tree of a submission, the base that it starts from and how much may differ.

        Raises:
            UsageError: no repository, no such revision, or (`DamagedError`) objects that are missing or not what their id says.
            TooMuchError: more than `of` allows.
        """
        return import_revision(self, repo, revision, of)

    def import_directory(self, folder: Path, carry: tuple[str, ...] = ()) -> str:
        """Bring a pristine directory in: untracked suites, nested repositories and submodules as plain files.

        Args:
            folder: the directory; nothing in it is run or written.
            carry: globs of files that are taken although the directory's own ignore rules name them.

        Raises:
            UsageError: something in it cannot be read.
        """
        return import_directory(self, folder, carry)

    def apply(self, base_tree: str, diff: bytes, *options: str, memory: int = MEMORY_BYTES) -> Applied:
        """Apply a diff to a tree: all of it or nothing, without fuzz.

        Args:
            base_tree: the tree.
            diff: its text.
            options: how many leading parts its names have, as `git apply` takes it.
            memory: bytes that git may hold.
        """
        with self.index(base_tree) as git:
            try:
                git.bounded(memory).run(
                    "apply", "--cached", "--binary", "--whitespace=nowarn", *options, stdin=diff
                )
            except GitError as failed:
                return Applied(None, failed.reason.replace(_HINT, ""), too_large=_NO_MEMORY in failed.reason)
            return Applied(git.text("write-tree"), None)

    def claimed(self, diff: bytes, *options: str) -> tuple[bytes, ...]:
        """The paths that a diff's text names, both of a rename, whether or not it applies; none when git cannot read it."""
        # numstat names one path of a rename: read backwards it names the other.
        git = self.git.bounded()
        try:
            both = [
                git.run("apply", "--numstat", "-z", *options, *way, stdin=diff)
                for way in ((), ("--reverse",))
            ]
        except GitError:
            return ()
        return tuple(
            sorted({line.split(b"\t", 2)[2] for found in both for line in found.split(b"\0") if line})
        )

    def entries(self, old_tree: str, new_tree: str) -> tuple[Entry, ...]:
        """What differs between two trees, path by path."""
        fields = self.git.run("diff-tree", "-r", "-z", "--raw", *_PLAIN, old_tree, new_tree).split(b"\0")
        return tuple(_entry(raw, path) for raw, path in zip(fields[0:-1:2], fields[1::2], strict=True))

    def diff(self, old_tree: str, new_tree: str, *, text: bool) -> bytes:
        """The difference as a diff: for people (`text`: every line is shown, whatever it holds) or to be applied.

        Raises:
            GitLimitError: two contents that git cannot compare in the time and memory that it may take.
        """
        form = "--text" if text else "--binary"
        return self.git.bounded().run("diff-tree", "-r", "-p", form, *_PLAIN, old_tree, new_tree)

    def numstat(self, old_tree: str, new_tree: str) -> Counts:
        """How much differs between two trees."""
        found = self.git.bounded().run("diff-tree", "-r", "-z", "--numstat", *_PLAIN, old_tree, new_tree)
        lines = [line.split(b"\t", 2) for line in found.split(b"\0") if line]
        added, removed = (sum(int(line[n]) for line in lines if line[n] != b"-") for n in (0, 1))
        return Counts(len(lines), added, removed)

    def list_tree(self, tree: str) -> Iterator[TreeFile]:
        """Every file of a tree, sorted by path."""
        return list_files(self.git, tree)

    def sizes(self, ids: Iterable[str]) -> list[int]:
        """How long contents are, in bytes and in the order of `ids`; none of them is read."""
        asked = "".join(f"{name}\n" for name in ids).encode()
        return [
            int(size) for size in self.git.run("cat-file", "--batch-check=%(objectsize)", stdin=asked).split()
        ]

    def blob(self, name: str) -> bytes:
        """One content."""
        return self.git.run("cat-file", "blob", name)

    def blobs(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Contents in the order of `ids`, one in memory at a time."""
        for name, content in read_blobs(self.git, ids, None):
            yield name, content or b""

    def blobs_up_to(self, limit: int, ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """As `blobs`, with None for a content of more than `limit` bytes."""
        return read_blobs(self.git, ids, limit)

    def reader(self) -> AbstractContextManager[Callable[[str], bytes]]:
        """For reading many contents in no known order: gives a function from id to content."""
        return reader(self.git)

    def add_blob(self, data: bytes) -> str:
        """Add one content and return its id."""
        return self.git.text("hash-object", "-w", "--stdin", "--no-filters", stdin=data)

    def writer(self) -> AbstractContextManager[BlobWriter]:
        """For adding many contents."""
        return write_blobs(self.git)

    def replace(self, tree: str | None, changes: Iterable[EntryTuple]) -> str:
        """A tree with some entries put in, changed or taken away; None stands for the empty tree.

        Removals come first. A file that is put where a folder is replaces it whole, and the other way round, so callers
        that may bring such pairs compare the result with what they meant.

        Raises:
            GitError: a path that git does not hold, or a content that is not there.
        """
        ordered = sorted(changes, key=lambda change: change[1] != 0)
        lines = b"".join(
            b"%06o %s\t%s\0" % (mode, (blob if mode else NO_BLOB).encode(), path)
            for path, mode, blob in ordered
        )
        with self.index(tree) as git:
            # A path that it does not hold is passed over with a warning.
            git.run("update-index", "-z", "--index-info", stdin=lines, warnings=False)
            return git.text("write-tree")

    def without_gitlinks(self, tree: str) -> tuple[str, tuple[tuple[bytes, str], ...]]:
        """The tree in git's canonical form without gitlinks, and the gitlinks: path and commit id."""
        lines = self.git.run("ls-tree", "-r", "-z", tree).split(b"\0")[:-1]
        links = [line for line in lines if line.startswith(b"%06o " % GITLINK)]
        found = tuple((line.split(b"\t", 1)[1], line.split()[2].decode()) for line in links)
        return self.replace(tree, [(path, 0, NO_BLOB) for path, _ in found]), found

    @contextmanager
    def index(self, tree: str | None) -> Iterator[Git]:
        """Git with a private index that holds a tree, for as long as the block runs."""
        with TemporaryDirectory(prefix="index-", dir=self.folder) as scratch:
            git = self.git.having(GIT_INDEX_FILE=f"{scratch}/index")
            git.run("read-tree", *([tree] if tree else ["--empty"]))
            yield git


def _entry(raw: bytes, path: bytes) -> Entry:
    old_mode, new_mode, old_blob, new_blob, _ = raw.lstrip(b":").split(b" ")
    return Entry(
        path=path,
        old_mode=int(old_mode, 8),
        new_mode=int(new_mode, 8),
        old_blob=old_blob.decode(),
        new_blob=new_blob.decode(),
    )
