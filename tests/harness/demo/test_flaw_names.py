import pytest

from harness.demo.flaw_names import flaws_of

KNOWN = {"slow": 1, "wrong": 2}


@pytest.mark.parametrize(("name", "flaws"), [("", 0), ("slow", 1), ("wrong", 2)])
def test_a_name_stands_for_its_flaws(name: str, flaws: int) -> None:
    assert flaws_of(name, KNOWN, 0) == flaws


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no flaw is called 'lazy'; there are slow, wrong"):
        flaws_of("lazy", KNOWN, 0)
