import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.text import Text, fold, holds, says_nothing, tokens

WORDS = [
    "OU",
    "the",
    "rollout",
    "policy_limit",
    "日本語",
    "です",
    "402",
    "é",
    "Straße",
    "DLP",
    "don't",
]
BETWEEN = [" ", "-", "_", ". ", "⚠️", "\n", "\n- ", "!", "\uff1f", "\u200b"]
PIECES = st.sampled_from([*WORDS, *BETWEEN])
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        pytest.param("The rollout was slow", "OU", False, id="inside-a-word"),
        pytest.param("You should wait", "OU", False, id="inside-another-word"),
        pytest.param("Move it to the OU.", "ou", True, id="a-word"),
        pytest.param("error 24020", "402", False, id="inside-a-number"),
        pytest.param("error 402, quota", "402", True, id="a-number"),
        pytest.param("this has nothing of it", "日本語", False, id="non-ascii-absent"),
        pytest.param("これは日本語です", "日本語", True, id="non-ascii-in-running-text"),
        pytest.param("the POLICY LIMIT is 5", "policy_limit", True, id="underscore-in-the-phrase"),
        pytest.param("the policy-limit is 5", "POLICY LIMIT", True, id="hyphen-in-the-text"),
        pytest.param("the **policy** `limit`", "policy limit", True, id="markup-between"),
        pytest.param("policy\nlimit", "policy limit", True, id="across-lines"),
        pytest.param("\uff30\uff2f\uff2c\uff29\uff23\uff39", "policy", True, id="full-width"),
        pytest.param("in der STRASSE", "Straße", True, id="folded-case"),
        pytest.param("the cafe\u0301 is open", "café", True, id="combining-mark"),
        pytest.param("the cafe is open", "café", False, id="mark-matters"),
        pytest.param("soft\u00adhyphen", "softhyphen", True, id="soft-hyphen"),
        pytest.param("⚠️Diagnosis", "diagnosis", True, id="after-an-emoji"),
        pytest.param("정책이 적용됩니다", "정책", True, id="with-a-korean-particle"),
        pytest.param("A → B", "→", True, id="symbol"),
        pytest.param("A B", "→", False, id="symbol-absent"),
        pytest.param("", "x", False, id="empty-text"),
        pytest.param("anything", " ", False, id="blank-phrase"),
    ],
)
def test_a_phrase_is_found_at_token_boundaries(text: str, phrase: str, expected: bool) -> None:
    assert holds(text, phrase) is expected


def test_a_sentence_is_pointed_at() -> None:
    text = Text("All is well. Do not disable DLP, e.g. for a test! Restart v1.2 now.")
    assert list(text.sentences_with("DLP")) == ["Do not disable DLP, e.g. for a test!"]
    assert list(text.sentences_with("v1.2")) == ["Restart v1.2 now."]


def test_list_items_and_paragraphs_are_sentences_and_wrapped_lines_are_not() -> None:
    text = Text("You must never:\n- disable DLP\n- restart\n\nThe policy\nlimit holds")
    assert list(text.sentences_with("disable dlp")) == ["- disable DLP"]
    assert list(text.sentences_with("policy limit")) == ["The policy limit holds"]


def test_a_symbol_is_pointed_at_in_its_sentence() -> None:
    assert list(Text("A → B. C.").sentences_with("→")) == ["A → B."]


def test_a_phrase_across_a_border_shows_both_sentences() -> None:
    assert list(Text("Use it. Never again.").sentences_with("it never")) == ["Use it. Never again."]


def test_every_sentence_is_shown_once() -> None:
    assert list(Text("DLP and dlp. No. DLP").sentences_with("dlp")) == ["DLP and dlp.", "DLP"]


def test_blank_phrases_say_nothing() -> None:
    assert says_nothing(" \u3000")
    assert not says_nothing("→")


def test_unspaced_scripts_are_counted_by_character() -> None:
    assert tokens("設定 policy") == ("設", "定", "policy")


@given(TEXTS, TEXTS, TEXTS)
def test_a_word_between_spaces_is_always_found(left: str, phrase: str, right: str) -> None:
    if fold(phrase).split():
        assert holds(f"{left} {phrase} {right}", phrase)


@given(TEXTS, TEXTS)
def test_case_and_separators_never_matter(text: str, phrase: str) -> None:
    if fold(phrase).split():
        shouted = phrase.upper().replace("-", "_")
        assert holds(text, phrase) == holds(text, shouted)


@given(st.text(max_size=60), st.text(min_size=1, max_size=8))
def test_looking_never_fails_and_finds_nothing_in_nothing(text: str, phrase: str) -> None:
    holds(text, phrase)
    assert not holds("", phrase)
