"""Part of worker: which modules of the tree are loaded, and from where. Standard library only; Python >= 3.8.

A claim like everything here: the tree's code can write what it likes into a module's `__file__`.
"""

import sys

MOST = 4000
LONGEST = 300


def origins(mount):
    """[[name, path below mount], ..] of the modules that come from a folder, which ends with a slash."""
    found = []
    for name, module in list(sys.modules.items()):
        try:
            file = vars(module).get("__file__")
        except Exception:
            continue
        if type(name) is str and type(file) is str and file.startswith(mount):
            found.append([_plain(name), _plain(file[len(mount) :])])
    return sorted(pair for pair in found if max(map(len, pair)) <= LONGEST)[:MOST]


def _plain(text):
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
