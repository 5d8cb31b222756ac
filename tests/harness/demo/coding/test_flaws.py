import pytest

from harness.demo.coding.flaws import FLAWS, NO_FLAWS, coding_flaws


def test_each_flaw_has_a_name() -> None:
    assert coding_flaws("") == NO_FLAWS
    assert coding_flaws("never-ends") is FLAWS["never-ends"]
    with pytest.raises(ValueError, match="no flaw is called 'lazy'"):
        coding_flaws("lazy")
