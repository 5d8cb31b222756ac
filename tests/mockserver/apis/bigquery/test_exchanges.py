"""Jobs, files that they move, tables and rows: what requests in order answer, as a whole."""

from pathlib import Path

import pytest

from tests.exchanges import answered, written


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jobs", "moves", "tables"])
def test_requests_are_answered_as_is_written_down(name: str, tmp_path: Path) -> None:
    lines = written(Path(__file__).with_name(f"{name}.golden.txt"))
    assert answered(lines, tmp_path) == lines
