"""Stems are those of NLTK, which ROUGE's own implementation takes."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from harness.checks.stems import _DOUBLE, _SINGLE, _SPOILED, stem

DOCS = Path(__file__).parents[3] / "docs"
THEIRS = PorterStemmer()
SUFFIXES = sorted(
    {suffix for suffix, _, _ in (*_DOUBLE, *_SINGLE)}
    | {"s", "es", "sses", "ies", "ied", "eed", "ed", "ing", "y", "e", "ll", "li", "logy", "ness"}
    | {"icate", "ative", "alize", "iciti", "ical", "ful", "nesses", "tting", "bling", "zed"}
)


def test_the_words_of_our_documents_have_the_stems_of_nltk() -> None:
    text = " ".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")).lower()
    words = {*re.findall(r"[a-z0-9]+", text), *_SPOILED}
    assert len(words) > 4000
    assert {word: stem(word) for word in words} == {word: THEIRS.stem(word) for word in words}


@given(
    st.text("abceilostuvwxyz", max_size=6),
    st.lists(st.sampled_from(SUFFIXES), max_size=3).map("".join),
)
def test_made_up_words_have_them_too(start: str, end: str) -> None:
    assert stem(start + end) == THEIRS.stem(start + end)
