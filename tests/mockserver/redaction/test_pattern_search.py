"""All patterns in one pass."""

import pytest

from mockserver.redaction.pattern_search import PatternSearch, _cut
from mockserver.redaction.rule import Rule
from mockserver.redaction.rules import RuleSet

RULES = RuleSet(
    (
        Rule("code", "code", pattern=r"C-(\d+)"),
        Rule("card", "card", pattern=r"\b\d{16}\b", check="luhn"),
        Rule("long", "long", pattern=r"\b\d{10,}\b"),
        Rule("place", "place", collections=("places",)),
    )
)


@pytest.fixture
def finder() -> PatternSearch:
    return PatternSearch(RULES, lambda rule, text: f"<{rule.name}:{text}>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see C-12 and C-3", "see C-<code:12> and C-<code:3>"),
        ("4111111111111111", "<card:4111111111111111>"),
        ("4111111111111112", "<long:4111111111111112>"),
        ("/v1/places/ab1/x", "/v1/places/<place:ab1>/x"),
        ("myplaces/ab1", "myplaces/ab1"),
        ("é C-1 é", "é C-<code:1> é"),
    ],
)
def test_finds_are_replaced(finder: PatternSearch, text: str, expected: str) -> None:
    assert finder.replace(text.encode()).decode() == expected
    assert finder.replace(text.encode()).decode() == expected


@pytest.mark.parametrize(
    ("start", "end", "cut"),
    [(0, 3, 0), (0, 4, 9), (3, 9, 0), (3, 6, 9), (5, 6, 9), (5, 12, 9), (9, 12, 0), (2, 10, 0),
     (3, 10, 0), (12, 21, 22), (22, 25, 0)],
)  # fmt: skip
def test_a_find_of_a_part_of_a_pseudonym_is_none(start: int, end: int, cut: int) -> None:
    assert _cut([(3, 9), (20, 22)], start, end) == cut


def test_a_text_without_finds_is_the_same_object(finder: PatternSearch) -> None:
    text = b"nothing"
    assert finder.replace(text) is text


def test_no_patterns_find_nothing() -> None:
    assert PatternSearch(RuleSet(()), lambda _, text: text).replace(b"C-12") == b"C-12"


def test_large_finds_are_not_remembered() -> None:
    finder = PatternSearch(RULES, lambda rule, text: rule.name)
    assert finder.replace(b"1" * 600) == b"long"


WALLET = "velvet magnet cactus ribbon walnut puzzle garden lantern coffee bridge copper meadow"
SENTENCE = "these words were written from the heart and they are not meant for wallets at all"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SENTENCE, SENTENCE),
        (f"{SENTENCE} {WALLET}", f"{SENTENCE} <mnemonic>"),
        (f"first {WALLET}", "first <mnemonic>"),
        (f"{WALLET} C-1", "<mnemonic> C-<code>"),
        (f"é {WALLET}\n{WALLET}", "é <mnemonic>\n<mnemonic>"),
        (f"word:secret {WALLET}", "word:<word> <mnemonic>"),
        (f"{WALLET} which is", f"{WALLET} which is"),
    ],
)
def test_words_of_a_wallet_are_told_from_sentences(text: str, expected: str) -> None:
    known = (rule for rule in RuleSet.default().rules if rule.name == "mnemonic")
    word = Rule("word", "word", pattern=r"word:(\S+)")
    finder = PatternSearch(
        RuleSet((*known, word, RULES.rules[0])), lambda rule, _: f"<{rule.name}>"
    )
    assert finder.replace(text.encode()).decode() == expected
    parts = ["before", text, "after"]
    assert [each.decode() for each in finder.replace_each([part.encode() for part in parts])] == [
        "before", expected, "after",
    ]  # fmt: skip


@pytest.mark.parametrize("before", ["", " ", "é", "x=", "\n日"])
def test_another_rule_finds_what_the_first_one_left(before: str) -> None:
    rules = (
        Rule("card", "card", pattern=r"\b\d{16}", check="luhn"),
        Rule("end", "end", pattern=r"\b\d+$"),
        Rule("long", "long", pattern=r"\b\d{10,}\b"),
    )
    for chosen in (rules, (rules[0], rules[2])):
        finder = PatternSearch(RuleSet(chosen), lambda rule, _: f"<{rule.name}>")
        made = finder.replace(f"{before}4111111111111112".encode()).decode()
        assert made == f"{before}<{chosen[1].name}>"
