"""What is proposed of a trace: calls, arguments, facts of the answer, limits, notes; pure."""

from typing import Any

import pytest

from harness.learning.proposals import CaseTerms, World, case_id, group_note, propose

_TOOLS = [{"name": "get_order"}, {"name": "refund"}, {"name": "delete_order"}]
_TERMS = CaseTerms("C-1", "covers")


def call(name: str, result: Any = None, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments, "played": True, "result": result}


def facts(*calls: dict[str, Any], **changes: Any) -> dict[str, Any]:
    turn = {"user": "Refund order A-1, 40 of it.", "answer": "Done.", "calls": list(calls)}
    told = {"turns": [turn], "system": "", "agent": "", "error": "", "place": "t.json", "id": "aa",
            "alike": ["aa"], "scores": [], "missing": []}  # fmt: skip
    return {**told, **changes}


def proposed(*calls: dict[str, Any], terms: CaseTerms = _TERMS, **changes: Any) -> dict[str, Any]:
    return propose(facts(*calls, **changes), _TOOLS, terms)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"order": "A-1"}, {"order": "A-1"}),
        ({"order": "a-1"}, {"order": "a-1"}),
        ({"order": "A-2"}, None),
        ({"order": "A-"}, None),
        ({"cents": 40}, {"cents": 40}),
        ({"cents": 4}, None),
        ({"sure": True}, None),
        ({"sure": None, "order": "A-1"}, {"order": "A-1"}),
    ],
)
def test_arguments_are_expected_that_what_was_said_tells(
    arguments: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    (told,) = proposed(call("get_order", **arguments))["input"][0]["expect"]["tools"]["calls"]
    assert told.get("args") == expected


def test_a_proposed_case_in_whole() -> None:
    read = call("get_order", {"payment": "card-77", "cents": 4250}, order="A-1")
    refund = call("refund", {"refund": "R-778"}, order="A-1", to="card-77", sure=True)
    turns = [
        {"user": "Refund A-1 of {{it}}.", "answer": "It is 4,250 cents. Sure?", "calls": [read]},
        {"user": "Yes.", "answer": "Done: R-778.",
         "calls": [refund, refund, call("note*", text="x")]},
    ]  # fmt: skip
    terms = CaseTerms(
        "C-1", "covers", ("C-1.tools",), "wrong", World(("get_order",), {"overrides.json": {}})
    )
    told = facts(turns=turns, agent="shop")
    made = propose(told, [*_TOOLS, {"name": "send*"}], terms)
    assert made.pop("notes")["Proposed"].splitlines() == [
        'tools.calls: refund once with {"order":"A-1","sure":true,"to":"card-77"}:'
        " the trace called it 2 times",
        "turn 1: tools.calls: get_order with order, which what was said or returned before tells",
        "turn 1: text.contains: 4,250 of the answer stand in what tools returned",
        "turn 2: tools.calls: refund with order, to, which what was said or returned before tells;"
        " it writes, and was called once",
        "turn 2: tools.calls: note*",
        "turn 2: text.contains: R-778 of the answer stand in what tools returned",
        "tools.forbidden: these can write, and were not called (2)",
        "tools.max: no more writes than these, whatever the arguments",
    ]
    of_refund = {"name": "refund", "args": {"order": "A-1", "to": "card-77"}}
    assert made == {
        "id": "C-1",
        "title": "Refund A-1 of {{it}}.",
        "category": "shop",
        "tags": ["learned", "proposed", "regression"],
        "input": [
            {
                "user": "Refund A-1 of {{it}}.",
                "expect": {
                    "tools": {"calls": [{"name": "get_order", "args": {"order": "A-1"}}]},
                    "text": {"contains": ["4,250"]},
                },
            },
            {
                "user": "Yes.",
                "expect": {
                    "tools": {"calls": [of_refund, {"name": "note*"}]},
                    "text": {"contains": ["R-778"]},
                },
            },
        ],
        "fixtures": {"cassettes": ["C-1.tools"], "repeats": "last"},
        "tools": {"get_order": "mocked"},
        "expect": {"tools": {"forbidden": ["delete_order", "send[*]"], "max": {"refund": 1}}},
        "reference": [
            {
                "calls": [{"name": "get_order", "args": {"order": "A-1"}}],
                "answer": "It is 4,250 cents. Sure?",
            },
            {
                "calls": [
                    {"name": "refund", "args": {"order": "A-1", "to": "card-77", "sure": True}},
                    {"name": "note*", "args": {"text": "x"}},
                ],
                "answer": "Done: R-778.",
            },
        ],
        "source_refs": ["t.json", "trace aa"],
        "variables": {"it": "{{it}}"},
    }


@pytest.mark.parametrize(("length", "title"), [(100, "x" * 100), (101, "x" * 97 + "...")])
def test_titles_have_up_to_100_characters(length: int, title: str) -> None:
    turn = {"user": "x" * length, "answer": "", "calls": []}
    assert propose(facts(turns=[turn]), [], _TERMS)["title"] == title


def test_what_an_earlier_call_returned_tells_arguments_too() -> None:
    first = call("get_order", {"payment": "card-77"}, order="A-1")
    second = call("refund", to="card-77")
    calls = proposed(first, second)["input"][0]["expect"]["tools"]["calls"]
    assert calls[1] == {"name": "refund", "args": {"to": "card-77"}}


def test_a_write_made_twice_is_expected_once_where_that_was_wrong() -> None:
    refund, read = call("refund", order="A-1"), call("get_order", order="A-1")
    wrong = proposed(read, refund, refund, read, terms=CaseTerms("C-1", "x", why="twice"))
    assert [each["name"] for each in wrong["reference"][0]["calls"]] == [
        "get_order", "refund", "get_order"
    ]  # fmt: skip
    assert "the trace called it 2 times" in wrong["notes"]["Proposed"]
    assert wrong["expect"]["tools"]["max"] == {"refund": 1}
    assert wrong["tags"][-1] == "regression"
    right = proposed(read, refund, refund)
    assert right["expect"]["tools"]["max"] == {"refund": 2}
    assert "called 2 times" in right["notes"]["Proposed"]


def test_a_write_that_failed_may_be_made_again() -> None:
    failed = {**call("refund", "no", order="A-1"), "error": "no"}
    made = proposed(failed, call("refund", order="A-1"), terms=CaseTerms("C-1", "x", why="late"))
    assert len(made["reference"][0]["calls"]) == 2


@pytest.mark.parametrize(
    ("answer", "contains"),
    [
        ("Refunded as R-778.", ["R-778"]),
        ("Order A-1 is refunded: 40.", None),  # the user said both
        ("It took 7.", None),  # one character is no fact
        ("It is 4,250 cents.", ["4,250"]),
        ("R-1 R-778", ["R-778"]),
    ],
)
def test_facts_of_an_answer_are_those_that_tools_returned(
    answer: str, contains: list[str] | None
) -> None:
    made = call("refund", {"refund": "R-778", "cents": 4250, "n": 7}, order="A-1")
    told = {"user": "Refund A-1, 40.", "answer": answer, "calls": [made]}
    expect = propose(facts(turns=[told]), _TOOLS, _TERMS)["input"][0]["expect"]
    assert expect.get("text", {}).get("contains") == contains


def test_without_calls_the_last_answer_is_the_reference() -> None:
    turns = [{"user": "Hello.", "answer": "How can I help?", "calls": []},
             {"user": "Bye.", "answer": " ", "calls": []}]  # fmt: skip
    first, last = propose(facts(turns=turns), [], _TERMS)["input"]
    assert first["expect"]["reference"]["text"] == "How can I help?"
    assert last == {"user": "Bye."}


def test_tools_that_write_and_were_not_called_are_forbidden() -> None:
    made = proposed(call("get_order", order="A-1"))
    assert made["expect"]["tools"] == {"forbidden": ["refund", "delete_order"][::-1]}
    assert propose(facts(), [{"name": "get_order"}], _TERMS).get("expect") is None


def test_a_case_says_which_tools_are_answered_from_state() -> None:
    world = World(("get_order",), {"overrides.json": {}})
    made = proposed(terms=CaseTerms("C-1", "x", ("C-1.tools",), world=world))
    assert made["tools"] == {"get_order": "mocked"}
    assert made["fixtures"] == {"cassettes": ["C-1.tools"], "repeats": "last"}
    assert proposed()["fixtures"] == {"overrides": []}


def test_what_cannot_be_played_is_reported_and_notes_say_the_rest() -> None:
    torn = {**call("refund"), "arguments": "{torn", "played": False}
    scores = [{"name": "quality", "value": 0.2, "label": "", "reason": "rude"},
              {"name": "thumbs", "value": None, "label": "down", "reason": ""}]  # fmt: skip
    made = proposed(torn, system="Be kind.", error="boom", missing=["a", "b"], scores=scores)
    assert made["reference"][0] == {"reports": [{"name": "refund", "args": {}}], "answer": "Done."}
    notes = made["notes"]
    assert (notes["System"], notes["Missing"]) == ("Be kind.", "a\nb")
    assert notes["Failed"].startswith("boom\nThe reference is what the agent did")
    assert notes["Scores"] == "quality: 0.2 (rude)\nthumbs: down"


def test_ids_are_made_of_what_was_asked_and_of_what_is_covered() -> None:
    assert case_id(facts(), "x").startswith("refund-order-of-it-")
    assert case_id(facts(), "x") != case_id(facts(), "y")
    bare = facts(turns=[{"user": "a@b.example", "answer": "", "calls": []}])
    assert case_id(bare, "x").startswith("trace-")


def test_a_group_names_its_traces() -> None:
    assert group_note(facts(alike=["aa", "bb"]), 2) == "2 traces: aa, bb"
    assert group_note(facts(alike=["aa", "bb"]), 5) == "5 traces: aa, bb and 3 more"
