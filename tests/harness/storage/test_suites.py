from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.storage import RegisteredSuite, RegisteredSuites


def test_suites_are_known_by_name(tmp_path: Path) -> None:
    """CTX-24"""
    kept = RegisteredSuites(tmp_path)
    kept.register(RegisteredSuite(name="b", path="old"))
    kept.register(RegisteredSuite(name="a", path="fixtures/a"))
    kept.register(RegisteredSuite(name="b", path="fixtures/b", description="Second."))
    assert [suite.path for suite in RegisteredSuites(tmp_path).all()] == [
        "fixtures/a",
        "fixtures/b",
    ]
    found = kept.get("b")
    assert found is not None
    assert found.description == "Second."
    assert kept.get("c") is None


def test_a_suite_is_forgotten(tmp_path: Path) -> None:
    kept = RegisteredSuites(tmp_path)
    kept.register(RegisteredSuite(name="office", path="p"))
    with pytest.raises(HarnessError, match=r"no suite 'offices' is registered.*'office'"):
        kept.remove("offices")
    kept.remove("office")
    assert kept.all() == ()
