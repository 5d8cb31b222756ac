"""What conventions make of methods that no room has: what requests in order answer, as a whole."""

from pathlib import Path

import pytest

from tests.exchanges import answered, written


@pytest.mark.parametrize("name", ["conventions", "writes"])
def test_requests_are_answered_as_is_written_down(name: str, tmp_path: Path) -> None:
    lines = written(Path(__file__).with_name(f"{name}.golden.txt"))
    assert answered(lines, tmp_path) == lines
