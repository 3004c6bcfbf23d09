"""Times small projects for real."""

import pytest

from truelap.checks import timing


@pytest.fixture(scope="session")
def time_projects(on_projects):
    """Times a base and a candidate in a folder; `candidate` holds what differs, None removes a file."""

    def run(folder, base, candidate, **more):
        files = {name: text for name, text in {**base, **candidate}.items() if text is not None}
        return on_projects(folder, timing, base, files, **{"effort": "quick"} | more)

    return run


@pytest.fixture
def timed(time_projects, tmp_path):
    return lambda base, candidate, **more: time_projects(tmp_path, base, candidate, **more)
