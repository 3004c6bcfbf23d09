"""Only base's own text, eol and ident attributes are undone, and only as git would."""

import pytest

from truelap.world.git_attributes import Conversion, conversions

ATTRIBUTES = "*.txt text\n*.bat eol=crlf\n*.auto text=auto\n*.id ident\n*.raw -text eol=crlf\n*.off -ident\n"


def found(store, repo, *paths):
    tree = store.import_revision(repo.folder, "HEAD").tree
    return conversions(store, tree, paths)


def test_attributes_are_read_from_the_tree(store, repo):
    repo.commit({".gitattributes": ATTRIBUTES, "sub/.gitattributes": "*.txt -text\n"})
    repo.write({".gitattributes": "* text ident\n", ".git/info/attributes": "* text\n"})
    paths = [
        b"a.txt",
        b"b.bat",
        b"c.auto",
        b"d.id",
        b"e.raw",
        b"f.off",
        b"g.py",
        b"sub/a.txt",
        b"sub/n\n.bat",
    ]
    assert found(store, repo, *paths) == {
        b"a.txt": Conversion(lines=True, only_text=False, ident=False),
        b"b.bat": Conversion(lines=True, only_text=False, ident=False),
        b"sub/n\n.bat": Conversion(lines=True, only_text=False, ident=False),
        b"c.auto": Conversion(lines=True, only_text=True, ident=False),
        b"d.id": Conversion(lines=False, only_text=False, ident=True),
    }


@pytest.mark.parametrize(
    "content",
    [
        b"a\r\nb\n",
        b"\r\r\n",
        b"$Id: 1 $ $Id$ $Id: a\n$",
        b"\0\r\n",
        b"x\ry\r\n",
        b"",
        b"$Id: $$Id: x$",
        b"$Id:",
    ],
)
@pytest.mark.parametrize("attributes", ["text", "text=auto", "ident", "text ident"])
def test_undoing_agrees_with_git(store, repo, content, attributes):
    repo.commit({".gitattributes": f"f {attributes}\n", "f": b"other"})
    repo.write({"f": content})
    repo.git("add", "f")
    conversion = found(store, repo, b"f")[b"f"]
    assert conversion.undo(content) == repo.git("cat-file", "blob", ":f")
