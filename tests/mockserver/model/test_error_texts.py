import pytest

from mockserver.model import did_you_mean


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
