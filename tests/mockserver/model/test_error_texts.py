from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import did_you_mean, most_alike


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("EC-75", ["EC-075", "EC-001"], "did you mean 'EC-075'?"),
        ("zzz", ["b", "a"], "known: a, b"),
        ("zzz", [f"k{n}" for n in range(10)], "known: k0, k1, k2, k3, k4, k5, k6, k7 and 2 more"),
        ("x", [], ""),
    ],
    ids=["near", "far", "many", "none"],
)
def test_a_hint_names_the_nearest_or_lists_some(name: str, known: list[str], hint: str) -> None:
    assert did_you_mean(name, known) == hint


TEXTS = st.text("abA/ ", max_size=9)


@given(TEXTS, st.lists(TEXTS, max_size=12), st.sampled_from([0.0, 0.5, 0.6, 1.0]))
def test_the_most_similar_name_is_that_of_comparing_each(
    text: str, known: list[str], least: float
) -> None:
    best = (least, "")
    for name in known:
        matcher = SequenceMatcher(None, name.casefold(), text.casefold(), autojunk=False)
        if matcher.quick_ratio() > best[0]:
            best = max(best, (matcher.ratio(), name))
    assert most_alike(text, known, least) == best
