import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cases.nearest import did_you_mean


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("EC-57", ["EC-057", "EC-058"], "did you mean 'EC-057'?"),
        ("POLICY", ["policy"], "did you mean 'policy'?"),
        ("x", ["policy", "dlp"], "known: dlp, policy"),
        ("x", [], ""),
        ("x", [f"name{n}" for n in range(10)], "known: name0, name1, name2, name3, name4, name5, "
         "name6, name7 and 2 more"),
    ],
    ids=["near", "letter case", "far", "none known", "many"],
)  # fmt: skip
def test_the_nearest_name_or_a_few(name: str, known: list[str], hint: str) -> None:
    assert did_you_mean(name, known) == hint


@given(st.text(min_size=1), st.lists(st.text(min_size=1), min_size=1))
def test_a_known_name_is_its_own_nearest(name: str, others: list[str]) -> None:
    hint = did_you_mean(name, [*others, name])
    assert hint.startswith("did you mean")
