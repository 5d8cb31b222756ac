import pytest

from harness.demo.flaws import FLAWS, NO_FLAWS, Flaws, flaws_named


def test_all_flaws_are_every_single_one() -> None:
    single = [flaws for name, flaws in FLAWS.items() if name != "all"]
    assert Flaws(*(any(getattr(f, n) for f in single) for n in vars(NO_FLAWS))) == FLAWS["all"]


def test_no_name_means_no_flaw() -> None:
    assert flaws_named("") == NO_FLAWS
    assert flaws_named("invents-id") == Flaws(invents_id=True)


def test_an_unknown_flaw_names_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'lazy'.*skips-tool.*all"):
        flaws_named("lazy")
