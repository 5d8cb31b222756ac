import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.text import Text, fold, holds, is_empty_phrase, tokens

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


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("TLS handshakes fail", "handshake"),
        ("the handshake fails", "handshakes"),
        ("keeps resetting", "reset"),
        ("it was dropped", "drop"),
        ("policies apply", "policy"),
        ("access was denied", "deny"),
        ("it denies access", "denied"),
        ("increasing the quota", "increase"),
        ("it was enabled", "enables"),
        ("all boxes", "box"),
        ("delete user accounts", "delete user account"),
        ("addresses", "address"),
        ("many caches", "cache"),
    ],
)
def test_the_last_word_may_be_inflected(text: str, phrase: str) -> None:
    """CEPR-19"""
    assert holds(text, phrase)
    assert not holds(text, phrase, exact=True)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("the string", "str"),
        ("a red light", "r"),
        ("a seed", "see"),
        ("the news", "new"),
        ("accounts of users", "account user"),
        ("a failure", "fail"),
        ("the status", "statu"),
        ("keep walking", "wal"),
        ("5ms", "5m"),
        ("ann@example.coms", "ann@example.com"),
    ],
)
def test_other_words_are_other_words(text: str, phrase: str) -> None:
    assert not holds(text, phrase)


@pytest.mark.parametrize(
    ("phrase", "found", "not_found"),
    [
        ("16", "16 users | 16. | (16) | 16, 17 | n=16 | 16%", "16,000 | 16.5 | 3.16 | 1,016"),
        ("1", "1,2345 | 1,23 | 1+", "1,234 | 1,234.5"),
        ("-5", "-5 | \u22125 degrees | (-5)", "5 | 3-5 | - 5"),
        ("5", "5 | EC-5 | 3-5 | 5, 6", "-5 | \u22125 degrees | 0.5 | .5 | 5:30 | 5/7"),
        ("$50", "$50 | costs $ 50. | US$50", "50 EUR | 50 | $50.10 | $500 | $50,000"),
        ("50 EUR", "50 EUR", "$50 | 150 EUR | 2.50 EUR | 50 USD"),
        ("80 %", "80% | 80 % of it", "80 | 80 of 100 | 180 %"),
        ("C++", "in C++. | C++, Rust", "C | C# | C+"),
        ("C", "in C. | C, Rust", "C++ | C#"),
        ("1.2", "1.2 | at 1.2.", "1.2.3 | 0.1.2 | 1 2 | 11.2"),
        ("10.0.0.1", "10.0.0.1 | 10.0.0.1:80", "10.0.0.12 | 110.0.0.1 | 10.0.0.1.5"),
        ("/Sales", "in /Sales. | '/Sales' | path:/Sales | /Sales/", "/Sales/Field | /EU/Sales"),
        ("/Sales", "/sales", "Sales | /Sales-EU | /Sales_2 | a/Sales"),
        ("ann@example.com", "<ann@example.com> | ann@example.com.", "ann@example.com.evil.org"),
        ("ann@example.com", "ANN@example.com", "joann@example.com | mary.ann@example.com"),
        ("example.com", "https://example.com/x | ann@example.com", "www.example.com"),
        ("example.com", "example.com:443", "example.com.evil.org | example com"),
        ("chrome://policy", "see chrome://policy.", "chrome policy | chrome://policy/x"),
        ("12:30", "at 12:30.", "12:30:59 | 2:12:30 | 12.30"),
        ("#12", "issue #12.", "12 | #123"),
        ("@ann", "ask @ann", "ann | bob@ann"),
        ("2,000", "2,000 rows", "12,000 | 2,000,000 | 2 000"),
        ("example", "example.com | an-example", "exam"),
        ("token", "to\u200bken | tok\ufeffen", "to ken"),
    ],
)
def test_numbers_amounts_addresses_and_paths_match_whole(
    phrase: str, found: str, not_found: str
) -> None:
    assert [text for text in found.split(" | ") if not holds(text, phrase)] == []
    assert [text for text in not_found.split(" | ") if holds(text, phrase)] == []


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        pytest.param("Wi-Fi drops", "wifi", True, id="one-word-for-a-hyphen"),
        pytest.param("wi\u2011fi drops", "wifi", True, id="a-hyphen-that-never-breaks"),
        pytest.param("wifi drops", "Wi-Fi", True, id="the-other-way-round"),
        pytest.param("the device was reenrolled", "re-enroll", True, id="inflected-too"),
        pytest.param("host foo-bar.example.com", "foobar.example.com", False, id="in-an-address"),
        pytest.param("the unit /Sales-EU", "/SalesEU", False, id="in-a-path"),
        pytest.param("EC-001", "EC001", False, id="before-a-digit"),
    ],
)
def test_a_compound_may_be_written_as_one_word(text: str, phrase: str, expected: bool) -> None:
    assert holds(text, phrase) is expected
    assert not holds(text, phrase, exact=True)


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
    assert is_empty_phrase(" \u3000")
    assert not is_empty_phrase("→")


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
