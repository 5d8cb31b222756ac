import pytest

from harness.demo.review.flaws import FLAWS, NO_FLAWS, review_flaws


def test_each_flaw_has_its_name() -> None:
    assert review_flaws("") == NO_FLAWS
    assert {name for name, flaws in FLAWS.items() if flaws == NO_FLAWS} == set()
    assert all(review_flaws(name) is flaws for name, flaws in FLAWS.items())


def test_an_unknown_flaw_is_refused() -> None:
    with pytest.raises(ValueError, match="there are misses-rule"):
        review_flaws("lazy")
