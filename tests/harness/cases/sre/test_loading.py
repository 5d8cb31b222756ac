from pathlib import Path
from typing import Any

import pytest

from harness.cases import load_suite, read_suite
from harness.cases.sre.suite import recognises
from harness.errors import InvalidCasesError
from harness.model import Reference, ReferenceCall, ReferenceTurn, ToolCalls
from tests.harness.cases.sre.conftest import Write

ONE = {"id": "one", "prompt": "Why?", "expected_tools": ["look"]}
TWO = {"id": "two", "prompt": "How?", "expected_strings": ["so"]}


def turn(text: str, reply: str = "", **data: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"user_content": {"parts": [{"text": text, "thought": None}]}}
    if reply:
        made["final_response"] = {"parts": [{"text": reply}], "role": "model"}
    return made | ({"intermediate_data": data} if data else {})


def evalset(*cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"eval_set_id": "incidents", "description": "Incidents", "eval_cases": cases} | more


TALK = {
    "eval_id": "talk",
    "conversation": [turn("What broke?", "The cart.", tool_uses=[{"name": "look"}])],
    "session_input": {"app_name": "sre", "user_id": "ann", "state": {"REGION": "eu"}},
}


def messages(folder: Path) -> str:
    return "\n".join(map(str, read_suite(folder).problems))


def test_each_file_is_a_category_of_cases(write: Write) -> None:
    """SRE-02, SRE-03, SRER-02: lists and EvalSets side by side."""
    folder = write(
        {
            "tool_selection.test.json": [ONE, TWO],
            "incidents.test.json": evalset(TALK),
            "more.evalset.json": evalset(TALK | {"eval_id": "talk-2"}),
        }
    )
    suite = load_suite(folder)
    assert suite.format == "sre"
    assert [(case.id, case.category) for case in suite.cases] == [
        ("talk", "incidents"),
        ("talk-2", "more"),
        ("one", "tool_selection"),
        ("two", "tool_selection"),
    ]
    assert suite.cases[0].source == "incidents.test.json#/eval_cases/0"
    assert suite.cases[0].title == "Incidents"


def test_one_file_is_a_suite_too_and_its_neighbours_ids_are_taken(write: Write) -> None:
    folder = write(
        {
            "a.test.json": [ONE],
            "b.test.json": [TWO],
            "base/x.json": {"projects": []},
            "two/overrides.json": {"projects": []},
        }
    )
    suite = load_suite(folder / "a.test.json")
    assert (suite.name, [case.id for case in suite.cases]) == ("a", ["one"])
    below = write({"cases/c.test.json": [ONE | {"id": "three"}]}) / "cases" / "c.test.json"
    assert [case.id for case in load_suite(below).cases] == ["three"]
    assert [case.fixtures.overrides for case in load_suite(folder).cases] == [(), ("two",), ()]


def test_a_duplicate_id_is_told_with_both_places(write: Write) -> None:
    """SRE-04: an id is there once, over all files."""
    folder = write({"a.test.json": [ONE], "b.test.json": [TWO, ONE]})
    with pytest.raises(InvalidCasesError) as caught:
        load_suite(folder)
    said = str(caught.value)
    assert "b.test.json#/1: duplicate id 'one'" in said
    assert "first at" in said
    assert "a.test.json#/0" in said


@pytest.mark.parametrize(
    ("files", "said"),
    [
        pytest.param({"a.test.json": []}, "expected a list of cases, or an EvalSet", id="empty"),
        pytest.param({"a.test.json": 3}, "expected a list of cases, or an EvalSet", id="number"),
        pytest.param({"a.test.json": [3]}, "expected an object", id="no object"),
        pytest.param({"a.test.json": {"eval_cases": []}}, "must not be empty", id="no eval case"),
        pytest.param({"a.test.json": {"evals": []}}, "unknown key 'evals'", id="no evalset"),
        pytest.param(
            {"a.test.json": evalset({"eval_id": "x", "conversation": [turn(" ")]})},
            "user_content says nothing",
            id="blank question",
        ),
        pytest.param(
            {"a.test.json": [ONE], "references.json": {"oen": {"answer": "x"}}},
            "reference of an unknown case 'oen'",
            id="reference of nobody",
        ),
        pytest.param(
            {"a.test.json": [ONE], "references.json": []},
            "expected an object: case id to reference",
            id="references in a list",
        ),
        pytest.param(
            {"a.test.json": [ONE], "references.json": {"one": {"anser": "x"}}},
            "unknown key",
            id="bad reference",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(write: Write, files: Any, said: str) -> None:
    folder = write(files)
    assert said in messages(folder)
    assert ".json" in messages(folder)


def test_a_link_out_of_the_suite_is_refused(write: Write, tmp_path: Path) -> None:
    folder = write({"suite/a.test.json": [ONE], "outside.json": [TWO]}) / "suite"
    (folder / "b.test.json").symlink_to(tmp_path / "outside.json")
    assert "leaves the suite's folder" in messages(folder)


def test_references_come_from_their_file_or_from_the_evalset(write: Write) -> None:
    folder = write(
        {
            "a.test.json": [ONE],
            "b.test.json": evalset(TALK, TALK | {"eval_id": "other"}),
            "references.json": {"one": {"answer": "So."}, "other": [{"answer": "The cart!"}]},
        }
    )
    one, talk, other = load_suite(folder).cases
    look = (ReferenceCall(name="look"),)
    assert one.reference == (ReferenceTurn(answer="So.", reports=look),)
    assert talk.reference == (ReferenceTurn(answer="The cart.", reports=look),)
    assert other.reference == (ReferenceTurn(answer="The cart!"),)


def test_the_config_beside_an_evalset_sets_its_gates(write: Write) -> None:
    """SRER-06: criteria of `test_config.json`; without one ADK's own."""
    config = {"criteria": {"response_match_score": 0.5}}
    folder = write(
        {
            "a.test.json": evalset(TALK),
            "cases/b.test.json": evalset(TALK | {"eval_id": "other"}),
            "cases/test_config.json": config,
        }
    )
    first, second = load_suite(folder).cases
    assert [type(item) for item in first.expect] == [ToolCalls, Reference]
    assert second.expect == (Reference(text="The cart.", min_similarity=0.5, measure="rouge1"),)


def test_a_config_that_cannot_be_read_is_told_once(write: Write) -> None:
    folder = write({"a.test.json": evalset(TALK, TALK | {"eval_id": "o"}), "test_config.json": 3})
    assert messages(folder).count("test_config.json") == 1


def test_a_lower_trajectory_score_is_told_to_be_taken_as_all(write: Write) -> None:
    """SRER-05: a turn's trajectory is right or wrong; a lower mean allows whole wrong turns."""
    case = {"eval_id": "two", "conversation": [turn("A?", tool_uses=[]), turn("B?", tool_uses=[])]}
    config = {"criteria": {"tool_trajectory_avg_score": 0.5}}
    folder = write({"a.test.json": evalset(case), "test_config.json": config})
    assert "would let one of 2 turns be wrong" in messages(folder)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("a.test.json", True), ("a.evalset.json", True), ("test_config.json", False)],
)
def test_files_are_recognised_by_their_names(write: Write, name: str, is_one: bool) -> None:
    folder = write({name: []})
    assert recognises(folder / name) is is_one
    assert recognises(folder) is is_one
