"""All patterns in one pass."""

import pytest

from mockserver.redaction.finding import Finder
from mockserver.redaction.rules import Rule, RuleSet

RULES = RuleSet(
    (
        Rule("code", "code", pattern=r"C-(\d+)"),
        Rule("card", "card", pattern=r"\b\d{16}\b", check="luhn"),
        Rule("long", "long", pattern=r"\b\d{10,}\b"),
        Rule("place", "place", collections=("places",)),
    )
)


@pytest.fixture
def finder() -> Finder:
    return Finder(RULES, lambda rule, text: f"<{rule.name}:{text}>")


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
def test_finds_are_replaced(finder: Finder, text: str, expected: str) -> None:
    assert finder.replaced(text.encode()).decode() == expected
    assert finder.replaced(text.encode()).decode() == expected


def test_a_text_without_finds_is_the_same_object(finder: Finder) -> None:
    text = b"nothing"
    assert finder.replaced(text) is text


def test_no_patterns_find_nothing() -> None:
    assert Finder(RuleSet(()), lambda _, text: text).replaced(b"C-12") == b"C-12"


def test_large_finds_are_not_remembered() -> None:
    finder = Finder(RULES, lambda rule, text: rule.name)
    assert finder.replaced(b"1" * 600) == b"long"
