import pytest

from harness.errors import HarnessError
from harness.storage.versions import CURRENT, MIGRATIONS, up_to_date


def test_each_older_version_has_a_step_to_the_next() -> None:
    steps = {(kind, version) for kind, current in CURRENT.items() for version in range(1, current)}
    assert set(MIGRATIONS) == steps


def test_a_bare_list_of_decisions_is_brought_up_to_date() -> None:
    assert up_to_date("decisions", [1])["decisions"] == [1]


def test_what_is_of_today_stays_as_it_is() -> None:
    held = {"version": CURRENT["decisions"], "decisions": []}
    assert up_to_date("decisions", held) is held
    assert up_to_date("trial", {"case": "A"}) == {"case": "A"}


@pytest.mark.parametrize("kind", CURRENT)
def test_a_later_version_is_told_as_that(kind: str) -> None:
    with pytest.raises(HarnessError, match="newer understudy"):
        up_to_date(kind, {"version": CURRENT[kind] + 1})
