from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judge.verdicts import last_verdict

MENU = ("pass", "fail")


@pytest.mark.parametrize(
    ("said", "verdict", "reason"),
    [
        ([{"verdict": "pass", "reason": "a  b\nc"}], "pass", "a b c"),
        (['{"reason": "r", "verdict": "FAIL"}'], "fail", "r"),
        (['It says {"verdict": "pass"}. I say {"verdict": "fail"}'], "fail", ""),
        ([{"verdict": "pass"}, 'no: {"verdict": "fail"}'], "fail", ""),
        (["{ {broken } " + '{"verdict": " pass "} {"other": 1}'], "pass", ""),
    ],
    ids=["call", "json", "last-in-text", "last-part", "noise"],
)
def test_the_last_verdict_counts(said: list[Any], verdict: str, reason: str) -> None:
    """Pitfall 11: not the first one, which may be the agent's"""
    found = last_verdict(said, MENU)
    assert (found.verdict, found.reason, found.error) == (verdict, reason, "")


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ([], "it gave no verdict"),
        (["pass"], "it gave no verdict"),
        ([["verdict"]], "it gave no verdict"),
        ([{"verdict": "great"}], "'great' is not on the menu (pass, fail)"),
        ([{"verdict": None}], "'None' is not on the menu (pass, fail)"),
    ],
    ids=["nothing", "text", "list", "off-menu", "null"],
)
def test_what_is_off_the_menu_is_no_verdict(said: list[Any], error: str) -> None:
    assert last_verdict(said, MENU).error == error


@given(st.text(alphabet='{}[]":,verdict pass\\'))
def test_no_answer_breaks_it(said: str) -> None:
    found = last_verdict([said], MENU)
    assert bool(found.error) != bool(found.verdict)


def test_an_answer_nested_without_end_is_no_verdict() -> None:
    assert last_verdict(['{"a":' * 5000], MENU).error == "it gave no verdict"
