"""Buckets, objects and the XML API: what requests answer in order, with headers, as a whole."""

from pathlib import Path

import pytest

from tests.exchanges import answered, written


@pytest.mark.parametrize("name", ["buckets", "objects", "xml"])
def test_requests_are_answered_as_is_written_down(name: str, tmp_path: Path) -> None:
    lines = written(Path(__file__).with_name(f"{name}.golden.txt"))
    assert answered(lines, tmp_path) == lines
