"""Compiled files run without a line that anyone has read, and a stale one wins over restored source.

Bytecode, extension modules, shared libraries, objects for the linker and importable archives are known by name; native code,
bytecode and archives are also known by their first bytes where the name or the mode would let them run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.rules import Ruling, fold, is_file, may_run, module_name

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

_NAMES = re.compile(r"\.(?:pyc|pyo|pyd|so(?:\.\d+)*|dll|dylib|o|a|egg|whl|pyzw?)$")
_NATIVE = (
    b"\x7fELF",
    *(bytes.fromhex(magic) for magic in ("feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe")),
)
_PYC_MAGIC = range(3000, 4500)  # 3.0 is 3000, 3.15 is below 3700, and the number grows by about 50 a release
_END_OF_ZIP = b"PK\x05\x06"
_ZIP_TAIL = 65_557  # the end record and the longest comment that may follow it


def judge(change: Change, scene: Scene) -> Ruling | None:  # noqa: ARG001 - every rule has this shape
    """Refuse new bytes in a compiled file; deleting one, or changing its mode, is fine."""
    if not is_file(change) or change.keeps_content:
        return None
    if _NAMES.search(change.folded[-1]):
        return Ruling("refuse", "a compiled file; submit its source, the build makes the rest")
    kind = _kind(change) if may_run(change) else None
    return Ruling("refuse", f"{kind} under a name or mode that lets it run") if kind else None


def is_compiled(path: bytes) -> bool:
    """Whether a path is named as a compiled file is."""
    return _NAMES.search(fold(path.rpartition(b"/")[2])) is not None


def _kind(change: Change) -> str | None:
    content = change.content or b""
    if content.startswith(_NATIVE) or _is_windows_program(content):
        return "native code"
    if content[2:4] == b"\r\n" and int.from_bytes(content[:2], "little") in _PYC_MAGIC:
        return "Python bytecode"
    # Python runs the `__main__` of an archive that is appended to any script; a mere data file has no first line for it.
    is_script = module_name(change.folded[-1]) is not None or content.startswith(b"#!")
    return "an importable archive" if is_script and content.rfind(_END_OF_ZIP, -_ZIP_TAIL) >= 0 else None


def _is_windows_program(content: bytes) -> bool:
    header = int.from_bytes(content[0x3C:0x40], "little")
    return content.startswith(b"MZ") and content[header : header + 4] == b"PE\0\0"
