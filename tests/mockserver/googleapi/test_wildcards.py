from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi.filters import matches_wildcards


@given(st.text("ab", max_size=8), st.text("ab*", max_size=5))
def test_a_star_is_any_text(text: str, pattern: str) -> None:
    assert matches_wildcards(text, pattern) is fnmatchcase(text, pattern)
