"""What tests or benchmarks import from outside of the product."""

import pytest

from truelap.product import Product
from truelap.serving import Serving

FILES = {
    "pyproject.toml": "[project]\nname = 'pkg'\n",
    "pkg/__init__.py": "",
    "pkg/core.py": "",
    "tools/a/deep.py": "from . import near\nfrom ..other import x\n",
    "tools/a/near.py": "",
    "tools/other.py": "",
    "tools/unused.py": "",
    "whole/__init__.py": "",
    "whole/data.csv": "",
    "words.py": "import more\n",
    "more.py": "",
    "t/test_x.py": "import tools.a.deep, words, pkg.core, whole, numpy\n",
}


def serving(files=FILES, *, places=("",), alone=True):
    def read(path):
        return files[path].encode()

    product = Product(files.keys(), read)
    return Serving(
        files.keys(), read, places, product, is_guarded=lambda path: path.startswith("t/"), alone=alone
    )


def found(files=FILES, **more):
    return serving(files, **more).found(["t/test_x.py"])


TOOLS = {"tools/a/deep.py", "tools/a/near.py", "tools/other.py"}
ROOT = {"words.py", "more.py"}


def test_directly_or_through_one_another():
    assert found() == TOOLS | ROOT | {"whole/__init__.py", "whole/data.csv"}


def test_for_tests_a_package_may_be_what_they_test():
    assert found(alone=False) == TOOLS | ROOT


def test_a_package_that_metadata_does_not_list_serves_tests_too():
    listed = {**FILES, "pyproject.toml": "[project]\nname = 'pkg'\n[tool.setuptools]\npackages = ['pkg']\n"}
    assert found(listed, alone=False) == TOOLS | ROOT | {"whole/__init__.py", "whole/data.csv"}
    assert "whole/__init__.py" not in found({**listed, "pkg/core.py": "import whole\n"}, alone=False)
    both = {**listed, "pyproject.toml": listed["pyproject.toml"].replace("['pkg']", "['pkg', 'whole']")}
    assert "whole/__init__.py" not in found(both, alone=False)


@pytest.mark.parametrize("path", ["pkg/core.py", "pkg/core.pyx"])
def test_what_the_product_imports_is_the_products(path):
    assert "words.py" not in found({**FILES, path: "    import words as w\n"})
    assert "words.py" in found({**FILES, path: "# words, and import of words\n"})


def test_a_folder_that_is_a_package_offers_nothing_at_its_top():
    files = {**FILES, "t/test_x.py": "import words2\n", "lib/words2.py": ""}
    assert found(files, places=("", "lib")) == {"lib/words2.py"}
    assert found({**files, "lib/__init__.py": ""}, places=("", "lib")) == frozenset()


def test_the_names_to_look_for():
    assert serving().tops == {"tools", "words", "more", "whole"}
    assert serving(alone=False).tops == {"tools", "words", "more"}


def test_what_does_not_parse_imports_nothing():
    assert found({**FILES, "t/test_x.py": "import words\ndef ("}) == frozenset()
