"""The native case format: YAML files, one case each or a list under `cases`.

A suite is a folder with `*.yaml` beside its fixtures (`base/`, override folders) or below `cases/`,
or one such file.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, model_validator

from harness.cases.assembly import Entry, assemble
from harness.cases.fixtures import Finder, SuiteFolder, read_workspace
from harness.cases.scenario import (
    Clock,
    FaultList,
    PolicyRule,
    ReferenceBlocks,
    Weights,
    implied_end,
    implied_expectations,
    mode_of,
    reference_turns,
    request_text,
    with_origin,
)
from harness.cases.suite import CaseFormat, Suite
from harness.cases.validation import validate_part
from harness.checks.expect_block import Expect, TurnExpect, expectations
from harness.checks.sections import name_or_object, single_or_list
from harness.documents import Document, Findings, Part, Pointer, read_yaml
from harness.model import (
    Case,
    Expectation,
    Fixtures,
    Frozen,
    Json,
    JsonObject,
    Mode,
    SimulatedUser,
    Turn,
)
from mockserver.model import Auth, Repeats, ToolAnswer

_SUFFIXES = (".yaml", ".yml")
_NEARLY = frozenset((*_SUFFIXES, ".yam", ".ymal"))
_OTHERS = frozenset({"prices", "redaction"})
"""Files of a suite that hold no cases."""


class NativeTurn(Frozen):
    """One turn: what the user says, and what the reply to it must show."""

    user: str = Field(min_length=1, pattern=r"\S")
    expect: TurnExpect | None = None


class NativeFixtures(Frozen):
    """The world a case runs in; see `harness.model.Fixtures`.

    Attributes:
        overrides: Names of override folders, in order; the case's own when not given.
        base: False: an empty base.
        faults: Faults beside those of the snapshot.
        clock: `shift`, `real`, `frozen` or `frozen:<RFC 3339 time>`.
        seed: The session's seed.
        auth: What is asked of the agent's credentials: `off`, `token`, `scopes`, `permissions`.
        acting_as: The address of the account that the agent's tokens stand for.
        scopes: What these tokens are good for; `drive.readonly`, or a whole scope.
        files: Plain-text files, relative to the suite.
        workspace: Files that the workspace starts with: path to text, or a folder of the suite.
        cassettes: Names of cassettes in the suite's `cassettes/`.
        repeats: `reads`, `once`, `last` or `cycle`: what a call gets whose recordings were all
            played.
    """

    overrides: Annotated[tuple[str, ...], single_or_list(str)] | None = None
    base: bool = True
    faults: FaultList = ()
    clock: Clock = "shift"
    seed: int = 0
    auth: Auth | None = None
    acting_as: str | None = Field(default=None, pattern=r"^[^@\s]+@[^@\s]+$")
    scopes: Annotated[tuple[str, ...], single_or_list(str)] = ()
    files: Annotated[tuple[str, ...], single_or_list(str)] = ()
    workspace: dict[str, str] | str = {}
    cassettes: Annotated[tuple[str, ...], single_or_list(str)] = ()
    repeats: Repeats = "reads"


Turns = Annotated[
    tuple[Annotated[NativeTurn, name_or_object("user", NativeTurn)], ...],
    Field(min_length=1),
    single_or_list(NativeTurn | str),
]


class NativeCase(Frozen):
    """A case as it is written in YAML; see `harness.model.Case`.

    Attributes:
        id: Unique in its suite.
        title: One line.
        category: The failure domain.
        tags: Labels to select by.
        mode: What the case is; `multi-turn` when it has several turns and names none.
        input: What the user says: a text, or turns with their own expectations.
        user: A simulated user who goes on after the input, until it has what it wants.
        request: What a service is sent; stands for the input where there is none.
        fixtures: The world.
        tools: Who answers the agent's own tools, which run in its process: a glob of names to
            `mocked` (the session), `real` (the tool itself) or `refused`; the first that fits. What
            none fits is mocked where the session knows it, and runs for real otherwise. Without
            this key the tools are left alone.
        expect: What a trial must show.
        checks: Further expectations as the checks know them, `{kind: ..., ...}`; for what `expect`
            has no words for, or a second block of the same name.
        repeat: Trials, when the command line names no number.
        policy: When the case passes: `all`, `majority`, `{rate: 0.8}`, or
            `{pass_hat: 3, min: 0.7}`.
        reference: What a perfect agent does, one block for each turn.
        variables: Values that its texts name as `{{NAME}}`.
        required_tools: Tools without which the agent is not asked.
        weights: Kind of expectation to what a check of it weighs in the score.
        deterministic: Any change against a baseline is a regression.
        timeout_s: Seconds an agent may take.
        source_refs: Where the scenario comes from.
        notes: Text for readers, by heading.
    """

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["input"]}, {"required": ["request"]}]}
    )

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    title: str = ""
    category: str = ""
    tags: Annotated[tuple[str, ...], single_or_list(str)] = ()
    mode: Mode | None = None
    input: Turns = ()
    user: SimulatedUser | None = None
    request: JsonObject | None = None
    fixtures: NativeFixtures = NativeFixtures()
    tools: dict[str, ToolAnswer] | None = None
    expect: Expect = Expect()
    checks: tuple[Expectation, ...] = ()
    repeat: int = Field(default=1, ge=1)
    policy: PolicyRule | None = None
    reference: ReferenceBlocks = ()
    variables: JsonObject = {}
    required_tools: Annotated[tuple[str, ...], single_or_list(str)] = ()
    weights: Weights = {}
    deterministic: bool = False
    timeout_s: float | None = Field(default=None, gt=0)
    source_refs: Annotated[tuple[str, ...], single_or_list(str)] = ()
    notes: dict[str, str] = {}

    @model_validator(mode="after")
    def _check_input(self) -> "NativeCase":
        if not self.input and self.request is None:
            raise ValueError("'input' is missing (or 'request', for a service)")
        if self.request is not None and self.user is not None:
            raise ValueError("a service is sent one request: nobody can go on as its user")
        if self.user is not None and len(self.input) >= self.user.patience:
            raise ValueError("the patience of the user is used up by the turns of 'input'")
        if self.request is not None and len(self.input) > 1:
            raise ValueError("a request is sent in one turn: 'input' has several")
        return self

    @property
    def turns(self) -> tuple[NativeTurn, ...]:
        """What is said; a request without words says itself."""
        if self.input or self.request is None:
            return self.input
        return (NativeTurn(user=request_text(self.request)),)


class NativeFile(Frozen):
    """A file that holds several cases.

    Attributes:
        cases: The cases.
        tools: As in a case, for all of them; what a case says itself comes first.
    """

    cases: Annotated[tuple[NativeCase, ...], Field(min_length=1)]
    tools: dict[str, ToolAnswer] | None = None


class _FileTools(Frozen):
    """What a file says for all of its cases."""

    model_config = ConfigDict(extra="ignore")

    cases: object = None
    tools: dict[str, ToolAnswer] | None = None


def recognises(path: Path) -> bool:
    """Whether a path is a YAML file, or a folder with some."""
    return path.suffix in _SUFFIXES if path.is_file() else any(_case_files(path))


def read(path: Path) -> Suite:
    """Read a suite whole; what is wrong in it goes into its problems."""
    findings = Findings()
    folder = SuiteFolder(path if path.is_dir() else path.parent)
    files = list(_case_files(path)) if path.is_dir() else [path]
    entries = [entry for file in files for entry in _entries(file, folder, findings)]
    if path.is_dir():
        _unread(folder, entries, findings)
    return assemble(folder, path.stem if path.is_file() else path.name, entries, findings)


def _case_files(folder: Path) -> Iterator[Path]:
    found = [*folder.glob("*"), *(folder / "cases").rglob("*")]
    yield from sorted(
        path
        for path in found
        if path.suffix in _SUFFIXES and path.stem not in _OTHERS and path.is_file()
    )


def _is_nearly(path: Path) -> bool:
    endings = [each.casefold() for each in path.suffixes]
    return path.suffix not in _SUFFIXES and not _NEARLY.isdisjoint(endings)


def _unread(folder: SuiteFolder, entries: Sequence[Entry], findings: Findings) -> None:
    """Warn of files that look as if they held cases, and that nobody reads."""
    used = {name for entry in entries if entry.case for name in entry.case.fixtures.files}
    below = [*(folder.path / "cases").rglob("*")]
    found = [path for path in below if path.suffix == ".json"]
    found += [path for path in (*folder.path.glob("*"), *below) if _is_nearly(path)]
    for path in sorted(found):
        if path.is_file() and folder.relative(path) not in used:
            message = "is read by nobody: case files end in .yaml or .yml, in small letters"
            findings.warning(str(path), message, "rename it, or move it out of cases/")


def _entries(file: Path, folder: SuiteFolder, findings: Findings) -> Iterator[Entry]:
    if not folder.holds(file):
        findings.error(str(file), "is a link that leaves the suite's folder")
        return
    document = read_yaml(file, findings)
    if document is None:
        return
    shared = None
    if isinstance(document.value, dict) and "cases" in document.value:
        shared = validate_part(_FileTools, document, (), findings)
    for pointer in _pointers(document, findings):
        id = _id(document.value, pointer)
        with findings.of_case(id):
            native = validate_part(NativeCase, document, pointer, findings)
            if native is not None and shared is not None and shared.tools is not None:
                tools = {**(native.tools or {}), **shared.tools, **(native.tools or {})}
                native = native.model_copy(update={"tools": tools})
            case = None if native is None else _case(native, document, pointer, (folder, findings))
        yield Entry(id, Part(document, pointer), case)


def _pointers(document: Document, findings: Findings) -> Iterator[Pointer]:
    value = document.value
    if not isinstance(value, dict):
        findings.error(document.where(), "expected a case, or a list of cases under 'cases'")
    elif "cases" not in value:
        yield ()
    elif not isinstance(value["cases"], list) or not value["cases"]:
        findings.error(document.where(("cases",)), "'cases' must be a list of cases")
    else:
        for key in value.keys() - {"cases", "tools"}:
            findings.error(document.where((key,)), f"unknown key {key!r} beside 'cases'")
        yield from (("cases", number) for number in range(len(value["cases"])))


def _id(value: Json, pointer: Pointer) -> str:
    for step in pointer:
        value = value[step]
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _case(
    native: NativeCase,
    document: Document,
    pointer: Pointer,
    suite: tuple[SuiteFolder, Findings],
) -> Case:
    folder, findings = suite
    finder = Finder(folder, native.id, findings)
    written = native.fixtures
    place = document.where((*pointer, "fixtures"))
    overrides = written.overrides
    fixtures = Fixtures(
        overrides=finder.own_override()
        if overrides is None
        else finder.overrides(overrides, place),
        base=written.base,
        faults=with_origin(written.faults, native.id),
        clock=written.clock,
        seed=written.seed,
        auth=written.auth,
        acting_as=written.acting_as,
        scopes=written.scopes,
        files=finder.files(written.files, place),
        workspace=read_workspace(written.workspace, folder, place, findings),
        cassettes=finder.cassettes(written.cassettes, place),
        repeats=written.repeats,
    )
    source = document.where(pointer).removeprefix(f"{folder.path.as_posix()}/")
    return translate_case(native, fixtures, source)


def translate_case(native: NativeCase, fixtures: Fixtures, source: str = "") -> Case:
    """A native case as the harness knows it."""
    mode = mode_of(native.mode, native.user.patience if native.user else len(native.turns))
    per_turn = (
        expectation
        for number, turn in enumerate(native.turns, start=1)
        for expectation in expectations(turn.expect, number)
    )
    return Case(
        id=native.id,
        title=native.title,
        category=native.category,
        tags=native.tags,
        mode=mode,
        turns=tuple(Turn(user=turn.user) for turn in native.turns),
        user=native.user,
        request=native.request,
        fixtures=fixtures.model_copy(update={"tools": native.tools}),
        expect=(
            *expectations(native.expect),
            *native.checks,
            *implied_expectations(mode),
            *implied_end(native.user, (*expectations(native.expect), *native.checks)),
            *per_turn,
        ),
        repeat=native.repeat,
        policy=native.policy,
        reference=reference_turns(native.reference),
        variables=native.variables,
        required_tools=native.required_tools,
        weights=native.weights,
        deterministic=native.deterministic,
        timeout_s=native.timeout_s,
        source=source,
        source_refs=native.source_refs,
        notes=native.notes,
    )


def json_schema() -> JsonObject:
    """The JSON Schema of a native case file, for editors."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(NativeCase | NativeFile).json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


NATIVE = CaseFormat("native", recognises, read, "YAML files")
