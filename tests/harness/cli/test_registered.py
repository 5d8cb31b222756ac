from pathlib import Path

import pytest

from harness.cli.registered import with_registered
from harness.cli.run_options import RunOptions
from harness.storage import RegisteredSuite, RegisteredSuites


@pytest.mark.parametrize(
    ("named", "found"),
    [("office", "/suites/office"), ("unknown", "unknown"), (".", ".")],
    ids=["registered", "unknown", "path"],
)
def test_a_name_stands_for_its_path(tmp_path: Path, named: str, found: str) -> None:
    """CTX-26: `run NAME`"""
    RegisteredSuites(tmp_path).register(RegisteredSuite(name="office", path="/suites/office"))
    options = RunOptions(suite=Path(named), run_dir=tmp_path)
    assert with_registered(options).suite == Path(found)


def test_no_suite_stays_none(tmp_path: Path) -> None:
    assert with_registered(RunOptions(run_dir=tmp_path)).suite is None
