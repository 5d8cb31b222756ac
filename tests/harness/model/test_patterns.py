import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import pattern_finding, read_pattern


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
@given(pattern=st.text(min_size=1).filter(lambda text: not text.startswith("regex:")))
def test_an_empty_output_holds_no_text(output: str, pattern: str) -> None:
    """CTXR-10, pitfall 4: an empty text is in every text, and is looked for in none here."""
    for prefix in ("", "contains:"):
        assert not pattern_finding(prefix + pattern, output).passed
    assert pattern_finding("not_contains:" + pattern, output).passed == bool(pattern.strip())


def test_the_text_after_a_prefix_is_read_without_spaces_around_but_a_regex_as_it_is() -> None:
    assert read_pattern("contains: a b ") == ("contains", "a b")
    assert read_pattern("regex: a") == ("regex", " a")
    assert read_pattern("http://a") == ("", "http://a")
