"""A suite as a case format reads it, with everything that is wrong in it; hashes of its cases."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from harness.documents import Findings, Part, Remark, read_yaml
from harness.errors import CaseProblem, HarnessError, InvalidCasesError, reason_of
from harness.model import Case, Json, JsonObject
from harness.trials.records import Price
from harness.trials.tracing import PRICES


@dataclass(frozen=True)
class Suite:
    """Cases that are run together.

    Attributes:
        path: The folder that holds the suite's fixtures (`base/`, override folders).
        name: A short name: the folder's, or the file's.
        cases: The valid cases, in the order they are written.
        problems: Errors and warnings; with an error the suite is not to be run.
        format: The name of the case format it is written in.
        concurrency: Trials at a time where the command line says nothing; None: the usual.
        parts: Id of a case to where it is written.
    """

    path: Path
    name: str
    cases: tuple[Case, ...]
    problems: tuple[CaseProblem, ...] = ()
    format: str = ""
    concurrency: int | None = None
    parts: Mapping[str, Part] = field(default_factory=dict)

    def warning(self, case: Case, remark: Remark) -> CaseProblem:
        """A warning about one of its cases, with the place of what it is about."""
        part = self.parts.get(case.id)
        where = part.where(remark.about) if part else case.source or case.id
        return CaseProblem(where, remark.message, remark.hint, "warning", case.id)

    @property
    def errors(self) -> tuple[CaseProblem, ...]:
        """What makes the suite invalid."""
        return tuple(item for item in self.problems if item.level == "error")

    @property
    def warnings(self) -> tuple[CaseProblem, ...]:
        """What is allowed and probably not meant."""
        return tuple(item for item in self.problems if item.level == "warning")


@dataclass(frozen=True)
class CaseFormat:
    """A way cases are written down.

    Attributes:
        name: `chrome`, `native`.
        recognises: Whether a path holds a suite in this format; looks at names only.
        read: Reads it whole. Never raises for what is in the files: that goes into the problems.
        holds: What a suite in this format holds, for a message: `a suite.json`.
    """

    name: str
    recognises: Callable[[Path], bool]
    read: Callable[[Path], Suite]
    holds: str


_LATER: dict[str, dict[str, Json]] = {
    "": {"request": None, "variables": {}, "required_tools": [], "weights": {}, "user": None},
    "fixtures": {
        "cassettes": [], "repeats": "reads", "workspace": {},
        "auth": None, "acting_as": None, "scopes": [], "tools": None,
    },
    "faults": {"after_events": None, "error": None, "retry_after_s": None, "share": None},
    "expect": {"exact": False, "measure": "words", "seen_as": {}},
    "files": {"exact_case": True},
    "reference": {"reports": [], "http_status": None, "data": None, "exit_code": None},
}  # fmt: skip
"""Keys that came later, of a case and of parts of it: where nothing is said they make it no other
one."""

_NOT_MEASURED = {
    "title", "category", "tags", "notes", "source", "source_refs", "repeat", "policy",
    "deterministic",
}  # fmt: skip
_HELD_AGAINST = {"expect", "reference", "required_tools", "weights"}


def case_hash(case: Case) -> str:
    """Twelve hex digits that change with what the agent is asked, given, or held against.

    Title, category, tags, notes, repeats and policy do not count: they describe the case or decide
    over its trials, but make no trial another one.
    """
    return _digest(case, _NOT_MEASURED)


def input_hash(case: Case) -> str:
    """Twelve hex digits that change with what the agent is asked and given, and nothing else.

    Trials of a case whose expectations have changed since can be decided anew; those of a case that
    asks or gives something else cannot.
    """
    return _digest(case, _NOT_MEASURED | _HELD_AGAINST)


def _digest(case: Case, without: set[str]) -> str:
    measured = case.model_dump(mode="json", by_alias=True, exclude=without)
    measured = _without(measured, _LATER[""])
    fixtures = measured["fixtures"] = _without(measured["fixtures"], _LATER["fixtures"])
    fixtures["faults"] = [_without(fault, _LATER["faults"]) for fault in fixtures["faults"]]
    if "reference" in measured:
        turns = measured["reference"]
        measured["reference"] = [_without(turn, _LATER["reference"]) for turn in turns]
    if "expect" in measured:
        measured["expect"] = [_expectation(each) for each in measured["expect"]]
    text = json.dumps(measured, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _expectation(expectation: JsonObject) -> JsonObject:
    found = _without(expectation, _LATER["expect"])
    if "files" in found:
        found["files"] = [_without(file, _LATER["files"]) for file in found["files"]]
    return found


def _without(value: JsonObject, defaults: JsonObject) -> JsonObject:
    absent = object()
    return {name: item for name, item in value.items() if item != defaults.get(name, absent)}


FILE = "prices.yaml"


class _Price(BaseModel):
    model_config = ConfigDict(extra="forbid")
    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


_PRICES = TypeAdapter(dict[str, _Price])


def suite_prices(folder: Path) -> Mapping[str, Price]:
    """The prices of models: those of a suite, before those that are known.

    Args:
        folder: The suite's folder; `prices.yaml` in it has patterns of models, each with `input`
            and `output`, US dollars for a million tokens.

    Raises:
        HarnessError: The file is there, and holds something else.
        InvalidCasesError: It is no YAML.
    """
    path = folder / FILE
    if not path.is_file():
        return PRICES
    findings = Findings()
    document = read_yaml(path, findings)
    if document is None:
        raise InvalidCasesError(findings.problems)
    try:
        own = _PRICES.validate_python(document.value)
    except ValidationError as error:
        raise HarnessError(
            f"{path}: {reason_of(error)}", hint="MODEL: {input: 1.25, output: 10}"
        ) from None
    return {name.lower(): Price(each.input, each.output) for name, each in own.items()} | {
        name: price for name, price in PRICES.items() if name not in own
    }
