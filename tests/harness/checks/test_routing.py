from typing import Any

import pytest

from harness.checks.registry import check
from harness.model import Loops, Routing
from tests.harness.records import record, reply


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (["look", "handleConnector"], ""),
        (["handleConnector", "look", "handleConnector"], ""),
        (["handlePolicy"], "routed to 'handlePolicy', 'handleConnector' expected"),
        (
            ["handleConnector", "handlePolicy"],
            "routed to 'handlePolicy', later, 'handleConnector' expected",
        ),
        (["look"], "no handler was called, 'handleConnector' expected"),
    ],
    ids=str,
)
def test_the_first_handler_is_the_decision(made: list[str], reason: str) -> None:
    """CEP-79: an issue of this type goes to this handler."""
    wanted = Routing(to="handleConnector", among=("handle*",))
    assert check(record(reply("", *made)), wanted).reason == reason


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"route": {"handler": "Connector"}}, ""),
        ({"route": {"handler": "policy"}}, "routed to 'policy', 'connector' expected"),
        ({"route": "connector"}, "the structured answer has no 'route.handler'"),
        (None, "the structured answer has no 'route.handler'"),
    ],
    ids=str,
)
def test_the_answer_may_name_the_handler(metadata: Any, reason: str) -> None:
    """CEP-79"""
    wanted = Routing(to="connector", field="route.handler")
    assert check(record(reply("Done.", metadata=metadata)), wanted).reason == reason


@pytest.mark.parametrize(
    ("made", "loops"),
    [
        ("g", 0),
        ("ge", 0),
        ("geg", 1),
        ("gege", 1),
        ("gegeg", 2),
        ("ggeg", 1),
        ("egeeg", 1),
        ("gxexg", 1),
    ],
)
def test_loops_are_answers_made_again_after_grading(made: str, loops: int) -> None:
    """CEP-80: regenerate loops of an evaluator-optimizer agent are counted."""
    found = check(record(reply("", *made)), Loops(generate="g", evaluate="e", max=1))
    assert found.numbers == {"loops": loops, "answers": made.count("g")}
    assert found.status == ("pass" if loops <= 1 else "fail")


def test_loops_have_bounds() -> None:
    """CEP-80"""
    trial = record(reply("", "g", "e", "g", "e", "g"))
    assert check(trial, Loops(generate="g", evaluate="e", max=1)).reason == (
        "made another answer 2 times, at most 1 expected"
    )
    assert check(trial, Loops(generate="g", evaluate="e", min=3)).reason == (
        "made another answer 2 times, at least 3 expected"
    )


@pytest.mark.parametrize(
    ("limits", "said"),
    [({}, "give 'min' or 'max'"), ({"min": 2, "max": 1}, "'max' is below 'min'"), ({"min": 1}, ""),
     ({"min": 1, "max": 1}, ""), ({"max": 0}, "")],
)  # fmt: skip
def test_loops_that_could_not_fail_are_refused(limits: dict[str, int], said: str) -> None:
    if not said:
        Loops(generate="g", evaluate="e", **limits)
        return
    with pytest.raises(ValueError, match=said):
        Loops(generate="g", evaluate="e", **limits)


def test_without_a_reply_nothing_is_decided() -> None:
    for wanted in (
        Routing(to="a", among=("a",)),
        Routing(to="a", field="a"),
        Loops(generate="a", evaluate="b", max=1),
    ):
        assert check(record(), wanted).status == "not_evaluated"
