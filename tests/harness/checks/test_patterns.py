import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.patterns import check_patterns
from harness.model import Patterns, pattern_finding, read_pattern
from tests.harness.records import record


def test_all_patterns_must_match_and_the_score_is_their_share() -> None:
    """CTX-09, CTX-11."""
    asked = Patterns(patterns=("contains:one", "regex:t[wv]o", "not_contains:bad", "three"))
    result = check_patterns(record("One, two, and it is bad."), asked)
    assert result.status == "fail"
    assert result.numbers["score"] == 0.5
    assert [each["detail"] for each in result.numbers["details"]] == [
        "found", "matched", "found forbidden: bad", "not found",
    ]  # fmt: skip
    assert result.reason == (
        "the output does not meet 'not_contains:bad': found forbidden: bad; 'three': not found"
    )
    met = check_patterns(record("One two three, good."), asked)
    assert (met.status, met.reason, met.numbers["score"]) == ("pass", "", 1.0)


def test_one_of_them_is_enough_when_the_case_says_so() -> None:
    asked = Patterns(patterns=("one", "two"), match="any")
    assert check_patterns(record("only two"), asked).status == "pass"
    missed = check_patterns(record("three"), asked)
    assert (missed.status, missed.numbers["score"]) == ("fail", 0.0)
    assert missed.reason.startswith("the output meets none of its patterns: 'one': not found")


@pytest.mark.parametrize(
    ("output", "status", "score"),
    [("12345678901", "pass", 1.0), ("1234567890", "fail", 0.0), ("           ", "fail", 0.0)],
)
def test_without_patterns_any_output_of_more_than_ten_characters_passes(
    output: str, status: str, score: float
) -> None:
    """CTX-10, CTX-11."""
    result = check_patterns(record(output), Patterns())
    assert (result.status, result.numbers["score"]) == (status, score)


def test_what_cannot_be_looked_for_is_not_evaluated() -> None:
    assert check_patterns(record(), Patterns(patterns=("a",))).status == "not_evaluated"
    broken = check_patterns(record("a"), Patterns(patterns=("regex:(?=a",)))
    assert broken.status == "not_evaluated"
    assert "cannot be used" in broken.reason


def test_a_silent_agent_scores_for_what_it_did_not_say_but_never_passes() -> None:
    """Pitfall 4, and the score of the first scorer of such tasks."""
    result = check_patterns(record(""), Patterns(patterns=("not_contains:bad",)))
    assert (result.status, result.numbers["score"]) == ("fail", 1.0)
    assert "the output is empty" in result.reason
    both = Patterns(patterns=("not_contains:bad", "contains:good"))
    assert check_patterns(record(""), both).numbers["score"] == 0.5


@pytest.mark.parametrize(
    ("pattern", "output", "passed", "detail"),
    [
        ("regex:line \\d+", "See LINE 12", True, "matched"),
        ("regex:^done$", "not done", False, "no match"),
        ("contains:Slugify", "def slugify(text):", True, "found"),
        ("contains:=>", "a => b", True, "found"),
        ("contains:total", "sum", False, "not found"),
        ("not_contains:eval(", "ast.literal_eval(x)", False, "found forbidden: eval("),
        ("not_contains:TODO", "All of it is there.", True, "correctly absent"),
        ("hello-world", "It prints Hello-World.", True, "found"),
        ("hello-world", "It prints nothing.", False, "not found"),
        ("regexp:x", "regexp:x is no prefix", True, "found"),
    ],
    ids=str,
)
def test_a_pattern_says_what_it_found(pattern: str, output: str, passed: bool, detail: str) -> None:
    """CTX-05, CTX-06, CTX-07, CTX-08: prefixes and detail texts, letter case aside."""
    assert pattern_finding(pattern, output) == (passed, detail)


@pytest.mark.parametrize("output", ["", "  \n"])
@given(pattern=st.text().filter(lambda text: text.strip() and not read_pattern(text).kind))
def test_an_empty_output_holds_no_text(output: str, pattern: str) -> None:
    """CTXR-10, pitfall 4: an empty text is in every text, and is looked for in none here."""
    for prefix in ("", "contains:"):
        assert not pattern_finding(prefix + pattern, output).passed
    assert pattern_finding("not_contains:" + pattern, output).passed


def test_the_text_after_a_prefix_is_read_without_spaces_around_but_a_regex_as_it_is() -> None:
    assert read_pattern("contains: a b ") == ("contains", "a b")
    assert read_pattern("regex: a") == ("regex", " a")
    assert read_pattern("http://a") == ("", "http://a")
