"""Start-up files run at each start of Python, before anything that the judge asks for.

These are `*.pth` and `*.start` in a site folder, and the modules `sitecustomize` and `usercustomize` in whatever form
can be imported: source, bytecode, extension module, package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.rules import module_name, refuse_unless_tracked

if TYPE_CHECKING:
    from truelap.rules import Change, Ruling, Scene

_SUFFIXES = (".pth", "._pth", ".start")
_MODULES = ("sitecustomize", "usercustomize")


def judge(change: Change, scene: Scene) -> Ruling | None:
    """Refuse a start-up file; a change to one that base tracks is discarded."""
    *folders, name = change.folded
    module = module_name(name)
    if name.endswith(_SUFFIXES):
        return refuse_unless_tracked(change, scene, "Python runs lines of such a file at every start")
    if module in _MODULES or (module is not None and any(folder in _MODULES for folder in folders)):
        return refuse_unless_tracked(change, scene, "Python imports this module at every start")
    return None
