"""Prints, as JSON, what the interpreter that runs it is made of: `PYTHON -I -S describe_interpreter.py`.

Run outside of any sandbox: the project's environment is trusted, the tree under test is not. So nothing may be imported from
there, and `site` must not run: it follows the .pth file of an editable install into the tree, and imports a sitecustomize
that lies there. What `site` would have found is worked out here.
"""

import json
import os
import re
import site
import sys
import sysconfig

MAPPING = re.compile(r"^MAPPING[^=]*= *(\{.*\})$", re.MULTILINE)
SOURCES = (".py", ".pyc", ".so", ".pyd")
DEEPEST = 4


def mapped_files():
    """Libraries and programs that this very process runs from."""
    with open("/proc/self/maps") as file:
        paths = (line.split(None, 5)[5].strip() for line in file if "/" in line)
        return sorted({path for path in paths if path.startswith("/") and os.path.isfile(path)})


def virtual_environment():
    """Folder and settings of the virtual environment (PEP 405), (None, {}) where there is none."""
    program = os.path.dirname(sys.executable)
    for folder in (program, os.path.dirname(program)):
        try:
            with open(os.path.join(folder, "pyvenv.cfg"), encoding="utf-8") as file:
                pairs = [line.split("=", 1) for line in file if "=" in line]
        except OSError:
            continue
        return folder, {key.strip().lower(): value.strip().lower() for key, value in pairs}
    return None, {}


def site_folders():
    """Where `site` would look for packages."""
    folder, settings = virtual_environment()
    own, base = [sys.prefix, sys.exec_prefix], [sys.base_prefix, sys.base_exec_prefix]
    prefixes = [folder] if folder else own
    if settings.get("include-system-site-packages") == "true":
        prefixes += base
    found = []
    for prefix in dict.fromkeys(prefixes):
        # Distributions name the folders differently inside and outside of a virtual environment, and tell by these two.
        sys.prefix = sys.exec_prefix = prefix
        found += site.getsitepackages([prefix])
        variables = {"base": prefix, "platbase": prefix}
        found += [sysconfig.get_path(name, vars=variables) for name in ("purelib", "platlib")]
    sys.prefix, sys.exec_prefix = own
    return [found_one for found_one in dict.fromkeys(found) if found_one and os.path.isdir(found_one)]


def distributions(path):
    from importlib import metadata

    found = {}
    editable = []
    for distribution in metadata.distributions(path=path):
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


def import_folders(folders):
    """Folders that .pth files and setuptools' editable finders add: what an editable install really imports from."""
    found = []
    for folder in folders:
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


def modules(folder, depth=0, above=""):
    """Dotted names of the modules in a folder: regular packages by themselves, others with what lies in them."""
    found = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        name = entry.name.partition(".")[0]
        if not name.isidentifier():
            continue
        if entry.name.endswith(SOURCES):
            found.append(above + name)
        elif name == entry.name and name != "__pycache__" and entry.is_dir():
            found += package(entry.path, depth, above + name)
    return found


def package(folder, depth, name):
    if any(os.path.isfile(os.path.join(folder, "__init__" + ending)) for ending in SOURCES):
        return [name]
    inside = modules(folder, depth + 1, name + ".") if depth < DEEPEST else []
    return [name, *inside] if inside else []


def owners(path):
    """Which distributions say that they brought a module."""
    from importlib import metadata

    found = {}
    for distribution in metadata.distributions(path=path):
        record = distribution.read_text("RECORD") or distribution.read_text("installed-files.txt") or ""
        lines = [line.split(",")[0] for line in record.splitlines()]
        names = {dotted(line) for line in lines if line.endswith(SOURCES)}
        names.update((distribution.read_text("top_level.txt") or "").split())
        for name in names:
            found.setdefault(name, set()).add(distribution.metadata["Name"] or "")
    return found


def dotted(file):
    *folders, name = file.split("/")
    parts = [*folders, name.partition(".")[0]]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def installed(folders, added):
    """For each folder the modules that it offers, and who brought them."""
    brought = owners([*folders, *added])
    # What is added may be a working tree: its author must not make this a long walk.
    offered = {folder: modules(folder, DEEPEST) for folder in added if os.path.isdir(folder)}
    offered.update((folder, modules(folder)) for folder in folders)
    return {
        folder: {name: sorted(brought.get(name, ())) for name in names} for folder, names in offered.items()
    }


def main():
    if sys.version_info < (3, 8):
        sys.exit("Python 3.8 or newer is needed, this is %d.%d" % sys.version_info[:2])
    folders = site_folders()
    added = import_folders(folders)
    path = list(dict.fromkeys([folder for folder in sys.path if folder] + folders + added))
    packages, editable = distributions(path)
    venv = virtual_environment()[0]
    described = {
        "version": list(sys.version_info[:3]),
        "implementation": sys.implementation.name,
        "cache_tag": sys.implementation.cache_tag,
        "executable": sys.executable,
        "prefixes": ([venv] if venv else [])
        + [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix],
        "path": path,
        "packages": packages,
        "editable_projects": editable,
        "import_folders": added,
        "modules": installed(folders, added),
        "mapped": mapped_files(),
    }
    sys.stdout.write("\n" + json.dumps(described) + "\n")


main()
