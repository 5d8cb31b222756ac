import pytest

from harness.demo.sre.flaws import FLAWS, NO_FLAWS, sre_flaws


def test_each_flaw_has_its_name() -> None:
    assert sre_flaws("") == NO_FLAWS
    assert all(sre_flaws(name) is flaws != NO_FLAWS for name, flaws in FLAWS.items())


def test_an_unknown_flaw_is_refused() -> None:
    with pytest.raises(ValueError, match="there are skips-tool"):
        sre_flaws("lazy")
