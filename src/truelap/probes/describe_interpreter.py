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
        "mapped": mapped_files(),
    }
    sys.stdout.write("\n" + json.dumps(described) + "\n")


main()
