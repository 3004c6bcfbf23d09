"""Prints, as JSON, what the interpreter that runs it is made of: `PYTHON -I describe_interpreter.py`.

Run outside of any sandbox: the project's environment is trusted, the tree under test is not looked at.
"""

import json
import os
import re
import sys
import sysconfig

MAPPING = re.compile(r"^MAPPING[^=]*= *(\{.*\})$", re.MULTILINE)


def mapped_files():
    """Libraries and programs that this very process runs from."""
    with open("/proc/self/maps") as file:
        paths = (line.split(None, 5)[5].strip() for line in file if "/" in line)
        return sorted({path for path in paths if path.startswith("/") and os.path.isfile(path)})


def site_folders():
    found = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    found += [folder for folder in sys.path if os.path.basename(folder) in ("site-packages", "dist-packages")]
    return [folder for folder in dict.fromkeys(found) if folder and os.path.isdir(folder)]


def distributions():
    from importlib import metadata

    found = {}
    editable = []
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if not name or name in found:
            continue
        found[name] = distribution.version
        direct = json.loads(distribution.read_text("direct_url.json") or "{}")
        if direct.get("dir_info", {}).get("editable") and direct.get("url", "").startswith("file://"):
            editable.append(unquoted(direct["url"][len("file://") :]))
    return found, editable


def unquoted(url):
    from urllib.parse import unquote

    return unquote(url)


def import_folders():
    """Folders that .pth files and setuptools' editable finders add: what an editable install really imports from."""
    found = []
    for folder in site_folders():
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if name.endswith(".pth"):
                found += pth_folders(folder, path)
            elif name.startswith("__editable__") and name.endswith("_finder.py"):
                found += finder_folders(path)
    return found


def pth_folders(folder, path):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file]
    candidates = [
        os.path.join(folder, line)
        for line in lines
        if line and not line.startswith(("#", "import ", "import\t"))
    ]
    return [candidate for candidate in candidates if os.path.isdir(candidate)]


def finder_folders(path):
    import ast

    with open(path, encoding="utf-8", errors="replace") as file:
        found = MAPPING.search(file.read())
    try:
        mapping = ast.literal_eval(found.group(1)) if found else {}
    except (SyntaxError, ValueError):
        mapping = {}
    # "a.b" -> .../a/b: the folder that has to be importable is as many steps up as the name has parts.
    return [
        os.path.normpath(os.path.join(target, *[".."] * (name.count(".") + 1)))
        for name, target in mapping.items()
    ]


def main():
    if sys.version_info < (3, 8):
        sys.exit("Python 3.8 or newer is needed, this is %d.%d" % sys.version_info[:2])
    packages, editable = distributions()
    described = {
        "version": list(sys.version_info[:3]),
        "implementation": sys.implementation.name,
        "cache_tag": sys.implementation.cache_tag,
        "executable": sys.executable,
        "prefixes": [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix],
        "path": [folder for folder in sys.path if folder],
        "packages": packages,
        "editable_projects": editable,
        "import_folders": import_folders(),
        "mapped": mapped_files(),
    }
    sys.stdout.write("\n" + json.dumps(described) + "\n")


main()
