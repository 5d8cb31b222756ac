import json
from pathlib import Path
from typing import Any, get_args

import pytest

from harness.cases import Suite, read_suite
from harness.cases.coding import TaskCategory
from harness.model import Budget, ExitCode, Files, Patterns, ToolCalls
from tests.casefiles import errors, put

TASK: dict[str, Any] = {
    "id": "t-1",
    "category": "bug_fix",
    "prompt": "Mend a.py.",
    "expectedPatterns": ["contains:mended"],
}


def suite(folder: Path, *tasks: dict[str, Any], **fields: Any) -> Suite:
    held = {"name": "tasks", "tasks": list(tasks)} | fields
    put(folder / "suite.json", json.dumps(held))
    return read_suite(folder)


def task(**fields: Any) -> dict[str, Any]:
    return TASK | fields


def test_every_field_of_a_task_is_read(tmp_path: Path) -> None:
    """CTX-01, CTX-04, CTXR-01: what is declared is checked."""
    put(tmp_path / "start" / "src" / "a.py", "x = 1\n")
    written = task(
        description="A mistake",
        expectedFiles=[{"path": "a.py", "shouldContain": "x = 2"}, "b.py"],
        expectedExitCode=3,
        expectedToolSequence=["read_file", "edit_file"],
        maxRounds=4,
        requiredTools=["edit_file"],
        timeoutMs=1500,
        workspace="start",
        weights={"files": 2},
        reference={"answer": "mended", "files": {"b.py": ""}, "toolCalls": ["x"], "exitCode": 3},
    )
    found = suite(tmp_path, written, description="For readers.")
    assert found.errors == ()
    assert (found.name, found.format, found.concurrency) == ("tasks", "coding", 1)
    case = found.cases[0]
    assert (case.title, case.category, case.timeout_s) == ("A mistake", "bug_fix", 1.5)
    assert (case.required_tools, case.weights) == (("edit_file",), {"files": 2})
    assert case.fixtures.workspace == {"src/a.py": "x = 1\n"}
    assert case.source == "suite.json#/tasks/0"
    patterns, first, second, code, calls, rounds = case.expect
    assert patterns == Patterns(patterns=("contains:mended",))
    assert isinstance(first, Files)
    assert first.files[0].contains == ("x = 2",)
    assert isinstance(second, Files)
    assert second.files[0].path == "b.py"
    assert code == ExitCode(code=3)
    assert isinstance(calls, ToolCalls)
    assert calls.mode == "in_order"
    assert [call.name for call in calls.calls] == ["read_file", "edit_file"]
    assert rounds == Budget(rounds=4)
    assert case.reference[0].reports[0].name == "x"
    assert case.reference[0].exit_code == 3


@pytest.mark.parametrize("category", get_args(TaskCategory))
def test_eight_categories_are_known(tmp_path: Path, category: str) -> None:
    """CTX-02."""
    assert suite(tmp_path, task(category=category)).errors == ()
    assert len(get_args(TaskCategory)) == 8


def test_any_json_file_can_be_named_as_a_suite(tmp_path: Path) -> None:
    path = put(tmp_path / "mine.json", json.dumps({"name": "mine", "tasks": [TASK]}))
    assert [case.id for case in read_suite(path).cases] == ["t-1"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"category": "poetry"}, "#/tasks/0/category: 'poetry' is not one of"),
        ({"expectedPattern": []}, "#/tasks/0/expectedPattern: unknown key 'expectedPattern' (did"),
        ({"expectedPatterns": ["regex:(?=a"]}, "'(?=a' is not a regular expression"),
        ({"expectedPatterns": ["regex:(a)\\2"]}, "'(a)\\\\2' is not a regular expression"),
        ({"expectedPatterns": ["regex:.*"]}, "matches every output, even an empty one"),
        ({"expectedPatterns": ["contains: "]}, "nothing to look for after its prefix"),
        ({"expectedPatterns": [""]}, "must not be empty"),
        ({"expectedPatterns": ["contains:ab", "not_contains:A"]}, "both required and forbidden"),
        (
            {"expectedPatterns": ["a", "not_contains:a"], "match": "any"},
            "any output meets one of the two",
        ),
        ({"expectedPatterns": [], "match": "any"}, "'match' does nothing"),
        ({"toolSequenceMode": "exact"}, "'toolSequenceMode' does nothing"),
        ({"category": "search_retrieval", "expectedPatterns": ["not_contains:a"]}, "the facts"),
        ({"expectedFiles": ["../a.py"]}, "'../a.py' leaves the workspace"),
        ({"expectedFiles": [{"path": "a", "shouldContain": ""}]}, "must not be empty"),
        ({"expectedExitCode": 256}, "less than or equal to 255"),
        ({"maxRounds": 0}, "greater than or equal to 1"),
        ({"timeoutMs": 0}, "greater than 0"),
        ({"weights": {"file": 2}}, "no check is of kind 'file' (did you mean 'files'?)"),
        ({"weights": {"files": 0}}, "greater than 0"),
        ({"workspace": "none"}, "no folder 'none'"),
        ({"workspace": {"/etc/a": ""}}, "'/etc/a' leaves the workspace"),
        ({"reference": {"answer": "a", "files": {"../b": ""}}}, "'../b' leaves the workspace"),
        ({"prompt": " "}, "prompt"),
    ],
    ids=str,
)
def test_a_task_that_cannot_be_judged_is_refused_with_its_place(
    tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    """CTX-02, CTX-23, pitfall 15: unknown categories and keys, patterns that decide nothing."""
    assert any(said in error for error in errors(suite(tmp_path, task(**fields)), tmp_path)), said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "suite.json#: expected an object"),
        ('{"tasks": []}', "'name' is missing"),
        ('{"name": "a", "tasks": []}', "suite.json#/tasks: must not be empty"),
        ('{"name": "a", "tasks": {}}', "suite.json#/tasks"),
        ('{"name": "a", "tasks": [3]}', "suite.json#/tasks/0: expected an object"),
        ("{", "not JSON"),
    ],
    ids=str,
)
def test_what_is_no_suite_of_tasks_says_so(tmp_path: Path, text: str, said: str) -> None:
    put(tmp_path / "suite.json", text)
    assert any(said in error for error in errors(read_suite(tmp_path), tmp_path))


def test_every_mistake_is_told_at_once_with_double_ids(tmp_path: Path) -> None:
    found = errors(suite(tmp_path, task(), task(), task(id="t-2", category="x")), tmp_path)
    assert found[0].startswith("suite.json#/tasks/2/category")
    assert "duplicate id 't-1', first at" in found[1]


def test_a_suite_that_is_a_link_to_elsewhere_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "outside.json", "{}")
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "suite.json").symlink_to(tmp_path / "outside.json")
    assert "is a link that leaves" in str(read_suite(tmp_path / "suite").errors[0])
