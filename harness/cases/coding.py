"""The coding format: a suite of coding tasks in one JSON file.

suite.json          {"name", "description", "tasks": [...]}; or any other JSON file, named itself
workspaces/fix/...  what a task's workspace starts with, where the task says "workspace"
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from harness.cases.advice import task_advice
from harness.cases.assembly import Entry, assemble
from harness.cases.fixtures import SuiteFolder, leaves, read_workspace
from harness.cases.scenario import Weights
from harness.cases.suite import CaseFormat, Suite
from harness.cases.validation import validate_part
from harness.checks.patterns import WrittenPattern, pattern_clash
from harness.checks.sections import name_or_object, single_or_list
from harness.documents import Document, Findings, Part, read_json
from harness.model import (
    Budget,
    Case,
    ExitCode,
    Expectation,
    ExpectedCall,
    ExpectedFile,
    Files,
    Fixtures,
    Frozen,
    Json,
    Patterns,
    ReferenceCall,
    ReferenceTurn,
    ToolCalls,
    Turn,
    read_pattern,
)

SUITE = "suite.json"

TaskCategory = Literal[
    "code_generation",
    "bug_fix",
    "refactoring",
    "code_review",
    "shell_command",
    "file_operation",
    "search_retrieval",
    "tool_use_sequence",
]

Name = Annotated[str, Field(min_length=1, pattern=r"\S")]


class TaskFile(Frozen):
    """A file that the workspace must hold at the end.

    Attributes:
        path: Its path there.
        contains: Texts that it must hold; letter case does not matter.
    """

    path: Name
    contains: Annotated[tuple[Name, ...], single_or_list(str)] = Field(
        default=(), alias="shouldContain"
    )

    @model_validator(mode="after")
    def _stays(self) -> "TaskFile":
        if leaves(self.path):
            raise ValueError(f"{self.path!r} leaves the workspace")
        return self


class TaskReference(Frozen):
    """What a perfect agent does.

    Attributes:
        answer: What it says.
        files: What it writes: path to text.
        tool_calls: Which tools it reports, in order.
        exit_code: What it exits with.
    """

    answer: Name
    files: dict[str, str] = {}
    tool_calls: tuple[Annotated[ReferenceCall, name_or_object("name", ReferenceCall)], ...] = Field(
        default=(), alias="toolCalls"
    )
    exit_code: int | None = Field(default=None, alias="exitCode")

    @model_validator(mode="after")
    def _stays(self) -> "TaskReference":
        for path in self.files:
            if leaves(path):
                raise ValueError(f"{path!r} leaves the workspace")
        return self


class Task(Frozen):
    """A task as it is written in JSON.

    Attributes:
        id: Unique in its suite.
        category: One of eight.
        description: One line.
        prompt: What the agent is asked.
        patterns: What its output must match; without any, it must have more than 10 characters.
        match: Whether `all` patterns are needed, or `any` one.
        files: What the workspace must hold at the end: paths, or `{path, shouldContain}`.
        exit_code: What its process must exit with.
        tools: Tools that it must call, in this order.
        tools_mode: `in_order`: others may stand between; `exact`: these calls and no others.
        max_rounds: At most so many rounds.
        required_tools: Tools without which it is not asked.
        timeout_ms: Milliseconds that it may take.
        workspace: What its workspace starts with: a folder of the suite, or path to text.
        weights: Kind of check to what one of it weighs in the score.
        reference: What a perfect agent does.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    category: TaskCategory
    description: str = ""
    prompt: Name
    patterns: tuple[WrittenPattern, ...] = Field(default=(), alias="expectedPatterns")
    match: Literal["all", "any"] = "all"
    files: tuple[Annotated[TaskFile, name_or_object("path", TaskFile)], ...] = Field(
        default=(), alias="expectedFiles"
    )
    exit_code: int | None = Field(default=None, alias="expectedExitCode", ge=0, le=255)
    tools: tuple[Name, ...] = Field(default=(), alias="expectedToolSequence")
    tools_mode: Literal["in_order", "exact"] = Field(default="in_order", alias="toolSequenceMode")
    max_rounds: int | None = Field(default=None, alias="maxRounds", ge=1)
    required_tools: tuple[Name, ...] = Field(default=(), alias="requiredTools")
    timeout_ms: float | None = Field(default=None, alias="timeoutMs", gt=0)
    workspace: dict[str, str] | Annotated[str, Field(min_length=1)] = {}
    weights: Weights = {}
    reference: TaskReference | None = None

    @model_validator(mode="after")
    def _check_use(self) -> "Task":
        if reason := pattern_clash(self.patterns, self.match):
            raise ValueError(reason)
        if "match" in self.model_fields_set and not self.patterns:
            raise ValueError("'match' does nothing without 'expectedPatterns'")
        if "tools_mode" in self.model_fields_set and not self.tools:
            raise ValueError("'toolSequenceMode' does nothing without 'expectedToolSequence'")
        kinds = (read_pattern(each).kind for each in self.patterns)
        if self.category == "search_retrieval" and all(kind == "not_contains" for kind in kinds):
            raise ValueError(
                "a search_retrieval task names the facts that the answer must hold:"
                " give 'expectedPatterns'"
            )
        return self


class TaskSuite(Frozen):
    """What stands around the tasks.

    Attributes:
        name: Of the suite.
        description: For readers.
        tasks: Read one by one, so that each tells what is wrong with it.
    """

    name: Name
    description: str = ""
    tasks: Annotated[tuple[Json, ...], Field(min_length=1)]


def recognises(path: Path) -> bool:
    """Whether a path is a JSON file, or a folder with a `suite.json`."""
    if path.is_file():
        return path.suffix == ".json"
    return (path / SUITE).is_file()


def read(path: Path) -> Suite:
    """Read a suite whole; what is wrong in it goes into its problems. Its tasks run one by one."""
    findings = Findings()
    file = path / SUITE if path.is_dir() else path
    folder = SuiteFolder(file.parent)
    name, entries = file.stem, list[Entry]()
    if not folder.holds(file):
        findings.error(str(file), "is a link that leaves the suite's folder")
    elif (document := read_json(file, findings)) is not None:
        written = validate_part(TaskSuite, document, (), findings)
        name = written.name if written else name
        entries = list(_entries(document, folder, findings))
    return replace(assemble(folder, name, entries, findings), concurrency=1)


def _entries(document: Document, folder: SuiteFolder, findings: Findings) -> Iterator[Entry]:
    tasks = document.value.get("tasks") if isinstance(document.value, dict) else None
    for number, value in enumerate(tasks if isinstance(tasks, list) else ()):
        pointer = ("tasks", number)
        id = value.get("id") if isinstance(value, dict) else None
        where = document.where(pointer)
        with findings.of_case(id):
            task = validate_part(Task, document, pointer, findings)
            case = None if task is None else _case(task, where, folder, findings)
            for remark in () if case is None else task_advice(case):
                place = document.where(document.find(pointer, remark.about))
                findings.warning(place, f"{id}: {remark.message}", remark.hint)
        yield Entry(id if isinstance(id, str) else "", Part(document, pointer), case)


def _case(task: Task, where: str, folder: SuiteFolder, findings: Findings) -> Case:
    return Case(
        id=task.id,
        title=task.description,
        category=task.category,
        turns=(Turn(user=task.prompt),),
        fixtures=Fixtures(
            overrides=(task.id,) if folder.has_override(task.id) else (),
            workspace=read_workspace(task.workspace, folder, where, findings),
        ),
        expect=tuple(_expectations(task)),
        required_tools=tuple(dict.fromkeys(task.required_tools)),
        weights=task.weights,
        reference=_reference(task.reference),
        timeout_s=None if task.timeout_ms is None else task.timeout_ms / 1000,
        source=where.removeprefix(f"{folder.path.as_posix()}/"),
    )


def _expectations(task: Task) -> Iterator[Expectation]:
    yield Patterns(patterns=task.patterns, match=task.match)
    for file in task.files:
        yield Files(files=(ExpectedFile(path=file.path, contains=file.contains, exact_case=False),))
    if task.exit_code is not None:
        yield ExitCode(code=task.exit_code)
    if task.tools:
        calls = tuple(ExpectedCall(name=name) for name in task.tools)
        yield ToolCalls(mode=task.tools_mode, calls=calls)
    if task.max_rounds is not None:
        yield Budget(rounds=task.max_rounds)


def _reference(reference: TaskReference | None) -> tuple[ReferenceTurn, ...]:
    if reference is None:
        return ()
    return (
        ReferenceTurn(
            answer=reference.answer,
            files=reference.files,
            reports=reference.tool_calls,
            exit_code=reference.exit_code,
        ),
    )


CODING = CaseFormat("coding", recognises, read, "a suite.json")
