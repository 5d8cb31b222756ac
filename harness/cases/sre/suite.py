"""Reads a suite in the sre layout.

metrics_analysis.test.json  a list of cases, or an EvalSet; also `*.evalset.json`, also below
                            `cases/`; the file's name is the category
test_config.json            beside them: the criteria of EvalSets
references.json             case id to what a perfect agent does
variables.json, base/, ...  as in every suite
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, RootModel, model_validator

from harness.cases.assembly import Entry, assemble
from harness.cases.fixtures import Finder, SuiteFolder
from harness.cases.scenario import ReferenceBlocks, reference_turns
from harness.cases.sre.evalset import (
    CONFIG,
    DEFAULT,
    Criteria,
    EvalCase,
    EvalSet,
    conversation_case,
    read_criteria,
    stricter_reason,
    without_nulls,
)
from harness.cases.suite import CaseFormat, Suite
from harness.cases.validation import validate_part
from harness.cases.variables import literal_pattern
from harness.checks.sections import Phrase, none_as_empty
from harness.documents import Document, Findings, Part, Pointer, read_json
from harness.model import (
    Case,
    Expectation,
    ExpectedCall,
    Fixtures,
    ForbiddenTools,
    Frozen,
    Json,
    JsonObject,
    ReferenceCall,
    ReferenceTurn,
    TextMatches,
    ToolCalls,
    Turn,
)
from mockserver.model import did_you_mean

ToolName = Annotated[str, Field(min_length=1, pattern=r"^\S+$")]
Tools = Annotated[tuple[ToolName, ...], BeforeValidator(none_as_empty)]
Strings = Annotated[tuple[Phrase, ...], BeforeValidator(none_as_empty)]


class ListedCase(Frozen):
    """A case as it is written in a list.

    Attributes:
        id: Unique in its suite.
        prompt: What the user says.
        expected_tools: Tools that must be called, in any order, others besides.
        forbidden_tools: Tools that must not be called.
        expected_strings: Each is a part of the reply; letter case does not matter.
        description: One line.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    prompt: str = Field(min_length=1, pattern=r"\S")
    expected_tools: Tools = ()
    forbidden_tools: Tools = ()
    expected_strings: Strings = ()
    description: str = ""

    @model_validator(mode="after")
    def _can_hold(self) -> "ListedCase":
        if both := sorted(set(self.expected_tools) & set(self.forbidden_tools)):
            raise ValueError(f"both expected and forbidden: {', '.join(both)}")
        if len(set(self.expected_tools)) < len(self.expected_tools):
            raise ValueError("expected_tools names a tool twice")
        return self


def listed_case(listed: ListedCase) -> Case:
    """A case of a list as the harness knows it, without its world."""
    return Case(
        id=listed.id,
        title=listed.description,
        turns=(Turn(user=listed.prompt),),
        expect=tuple(_expectations(listed)),
    )


def listed_reference(case: Case, found: tuple[ReferenceTurn, ...]) -> tuple[ReferenceTurn, ...]:
    """A reference that says nothing of tools calls those that are expected."""
    expected = tuple(
        ReferenceCall(name=call.name)
        for item in case.expect
        if isinstance(item, ToolCalls)
        for call in item.calls
    )
    return tuple(
        turn if turn.calls or turn.reports else turn.model_copy(update={"reports": expected})
        for turn in found
    )


def _expectations(listed: ListedCase) -> Iterator[Expectation]:
    if listed.expected_tools:
        yield ToolCalls(calls=tuple(ExpectedCall(name=name) for name in listed.expected_tools))
    if listed.forbidden_tools:
        yield ForbiddenTools(globs=tuple(map(_literal_glob, listed.forbidden_tools)))
    if listed.expected_strings:
        # a part of the reply is asked for, not words of it: "OOMKill" is in "OOMKilled"
        yield TextMatches(patterns=tuple(map(literal_pattern, listed.expected_strings)))


def _literal_glob(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


_ENDINGS = (".test.json", ".evalset.json")
_REFERENCES = "references.json"


class _Reference(RootModel[ReferenceBlocks]):
    pass


def recognises(path: Path) -> bool:
    """Whether a path is a case file, or a folder with some."""
    return path.name.endswith(_ENDINGS) if path.is_file() else any(_case_files(path))


def read(path: Path) -> Suite:
    """Read a suite whole; what is wrong in it goes into its problems."""
    findings = Findings()
    home = path if path.is_dir() else path.parent
    folder = SuiteFolder(home.parent if path.is_file() and home.name == "cases" else home)
    reader = _Reader(folder, findings)
    entries: list[Entry] = []
    for file in _case_files(folder.path):
        if path.is_dir() or file == path:
            entries += reader.entries(file)
        else:  # a file of the same suite: its ids are taken
            others = _Reader(folder, Findings()).entries(file)
            entries += [Entry(entry.id, entry.part, None) for entry in others]
    reader.idle_references(entries)
    name = _stem(path) if path.is_file() else path.resolve().name
    return assemble(folder, name, entries, findings)


def _case_files(folder: Path) -> Iterator[Path]:
    found = [*folder.glob("*.json"), *(folder / "cases").glob("*.json")]
    yield from sorted(path for path in found if path.name.endswith(_ENDINGS) and path.is_file())


def _stem(file: Path) -> str:
    ending = next(ending for ending in _ENDINGS if file.name.endswith(ending))
    return file.name.removesuffix(ending)


@dataclass
class _Reader:
    """Reads the files of one suite.

    Attributes:
        folder: The suite.
        findings: Where problems go.
    """

    folder: SuiteFolder
    findings: Findings

    def __post_init__(self) -> None:
        self._criteria: dict[Path, Criteria] = {}
        path = self.folder.path / _REFERENCES
        self._references = self._json(path) if path.is_file() else None

    def entries(self, file: Path) -> list[Entry]:
        """Every case of a file, valid or not."""
        document = self._json(file)
        if document is None:
            return []
        if isinstance(document.value, dict):
            return self._conversations(document, file)
        if isinstance(document.value, list) and document.value:
            numbers = range(len(document.value))
            return [self._read_entry(document, (number,), file) for number in numbers]
        self.findings.error(document.where(), "expected a list of cases, or an EvalSet")
        return []

    def idle_references(self, entries: list[Entry]) -> None:
        """Note references of cases that are not there."""
        ids = [entry.id for entry in entries]
        document = self._references
        if document is None:
            return
        if not isinstance(document.value, dict):
            self.findings.error(document.where(), "expected an object: case id to reference")
            return
        for id in document.value:
            if id not in ids:
                hint = did_you_mean(id, ids)
                where = document.where((id,))
                self.findings.error(where, f"reference of an unknown case {id!r}", hint)

    def _json(self, path: Path) -> Document | None:
        if not self.folder.holds(path):
            self.findings.error(str(path), "is a link that leaves the suite's folder")
            return None
        return read_json(path, self.findings)

    def _read_entry(self, document: Document, pointer: Pointer, file: Path) -> Entry:
        id = _id(document.value[pointer[0]], "id")
        with self.findings.of_case(id):
            written = validate_part(ListedCase, document, pointer, self.findings)
            case = (
                None if written is None else self._place_case(listed_case(written), file, pointer)
            )
        if case is not None:
            case = case.model_copy(update={"reference": listed_reference(case, case.reference)})
        return Entry(id, Part(document, pointer), case)

    def _conversations(self, document: Document, file: Path) -> list[Entry]:
        document = Document(document.name, without_nulls(document.value))
        around = validate_part(EvalSet, document, (), self.findings)
        if around is None:
            return []
        key = "eval_cases" if "eval_cases" in document.value else "evalCases"
        criteria = self._criteria_for(file)
        title = around.description or around.name or around.eval_set_id
        return [
            self._conversation(document, (key, number), file, (title, criteria))
            for number in range(len(around.eval_cases))
        ]

    def _conversation(
        self, document: Document, pointer: Pointer, file: Path, around: tuple[str, Criteria]
    ) -> Entry:
        title, criteria = around
        where = document.where(pointer)
        value = document.value[pointer[0]][pointer[1]]
        id = _id(value, "eval_id") or _id(value, "evalId")
        case = None
        with self.findings.of_case(id):
            written = validate_part(EvalCase, document, pointer, self.findings)
            if written is not None:
                case = self._place_case(conversation_case(written, title, criteria), file, pointer)
                if reason := stricter_reason(written, criteria):
                    self.findings.warning(where, f"{written.eval_id}: {reason}")
        return Entry(id, Part(document, pointer), case)

    def _criteria_for(self, file: Path) -> Criteria:
        path = file.parent / CONFIG
        if path not in self._criteria:
            document = self._json(path) if path.is_file() else None
            none = DEFAULT if not path.is_file() else Criteria()
            read = none if document is None else read_criteria(document, self.findings)
            self._criteria[path] = read
        return self._criteria[path]

    def _place_case(self, case: Case, file: Path, pointer: Pointer) -> Case:
        """The case in its world, with its place and its reference."""
        overrides = Finder(self.folder, case.id, self.findings).own_override()
        source = Document(self.folder.relative(file), None).where(pointer)
        more: JsonObject = {
            "category": _stem(file),
            "fixtures": Fixtures(overrides=overrides),
            "source": source,
        }
        if reference := self._reference(case.id):
            more["reference"] = reference
        return case.model_copy(update=more)

    def _reference(self, id: str) -> tuple[ReferenceTurn, ...]:
        document = self._references
        if document is None or not isinstance(document.value, dict) or id not in document.value:
            return ()
        found = validate_part(_Reference, document, (id,), self.findings)
        return () if found is None else reference_turns(found.root)


def _id(value: Json, key: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


SRE = CaseFormat("sre", recognises, read, "NAME.test.json")
