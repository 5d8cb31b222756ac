import pytest

from harness.model import PatternError, search_pattern
from harness.trials import regexes


@pytest.mark.parametrize(
    ("pattern", "found", "not_found"),
    [
        ("done", "all Done", "all do"),
        (r"(?<!not )done", "it is done", "it is not done"),
        (r"^(?!.*error)", "fine", "an error"),
        (r"(\w)\1", "letter", "later"),
        (r"^(?=.*x)(?=.*b)", "b then x", "b alone"),
    ],
)
def test_look_around_and_back_references_are_known(
    pattern: str, found: str, not_found: str
) -> None:
    assert search_pattern(pattern).search(found)
    assert not search_pattern(pattern).search(not_found)


def test_letter_case_matters_where_it_is_asked_for() -> None:
    assert not search_pattern("(?=D)done", ignore_case=False).search("done")


def test_every_match_is_found() -> None:
    assert search_pattern(r"\d+").find_all("1, 22") == ["1", "22"]
    assert search_pattern(r"\d+(?= EUR)").find_all("1 USD, 22 EUR") == ["22"]


@pytest.mark.parametrize("pattern", ["(", "(?=a", r"(a)\2", "[z-a]"])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="is not a regular expression"):
        search_pattern(pattern)


@pytest.mark.parametrize("method", ["search", "find_all"])
def test_a_search_that_would_not_end_is_given_up(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(regexes, "TIME_LIMIT_S", 0.01)
    with pytest.raises(PatternError, match="searched"):
        getattr(search_pattern(r"(?=a)(a|aa|b?)+$"), method)("a" * 60 + "c" + "a" * 60 + "c")
