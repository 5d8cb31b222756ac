"""The review format: one JSON file a case, a request to a review service and what to expect.

case_02_missing_verbs.json      or below `cases/`; the id is `case_02`
references/case_02.json         what a perfect service answers: {"status": 200, "body": {...}}
"""

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, model_validator

from harness.cases.assembly import Entry, assemble
from harness.cases.fixtures import SuiteFolder
from harness.cases.scenario import request_text
from harness.cases.suite import CaseFormat, Suite
from harness.cases.validation import validate_part
from harness.checks.sections import ModelName, Phrase
from harness.documents import Document, Findings, Part, read_json
from harness.model import (
    Case,
    Expectation,
    Frozen,
    JsonObject,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    ReferenceTurn,
    ReplySchema,
    ServiceStatus,
    Turn,
)

REPEAT = 5
"""Trials of each case, when the command line names no number."""

_NAMED = re.compile(r"(case_\d{2,})_[a-z0-9]+(?:_[a-z0-9]+)*\.json")
_REFERENCES = "references"

Names = tuple[Phrase, ...]


class ReviewRequest(Frozen):
    """What the service is sent.

    Attributes:
        content: The text to review; may be empty.
        standards_set: The standards to hold it against.
        strictness: How strictly.
    """

    content: str
    standards_set: str
    strictness: str = Field(default="medium", min_length=1)


class ReviewExpectations(Frozen):
    """What the answer must show; null, or an empty list, expects nothing.

    Attributes:
        min_obs: At least so many observations.
        max_obs: At most so many.
        expected_severities: Severities that observations must have.
        expected_refs: Standards that observations must reference.
        expected_error_code: A text in the body of an error.
    """

    min_obs: int | None = Field(default=None, ge=0)
    max_obs: int | None = Field(default=None, ge=0)
    expected_severities: Names | None = None
    expected_refs: Names | None = None
    expected_error_code: Phrase | None = None

    @model_validator(mode="after")
    def _counts(self) -> "ReviewExpectations":
        if self.min_obs is not None and self.max_obs is not None and self.min_obs > self.max_obs:
            raise ValueError(f"min_obs {self.min_obs} is above max_obs {self.max_obs}")
        if self.min_obs == 0 and self.max_obs is None:
            raise ValueError("min_obs 0 alone can never fail: use null, or add max_obs")
        if self.max_obs == 0 and (self.expected_severities or self.expected_refs):
            raise ValueError("max_obs 0 leaves no observation for expected_severities or _refs")
        return self


class ReviewCase(Frozen):
    """A case as it is written in JSON.

    Attributes:
        id: `case_NN`, as in the name of its file.
        description: One line.
        expect_error: Whether the service must refuse the request with a 4xx.
        expectations: What the answer must show.
        request: What the service is sent.
        response_model: The Pydantic model that a review must fit; none when left out.
    """

    id: str = Field(pattern=r"^case_\d{2,}$")
    description: str = Field(min_length=1)
    expect_error: bool = False
    expectations: ReviewExpectations = ReviewExpectations()
    request: ReviewRequest
    response_model: ModelName | None = None

    @model_validator(mode="after")
    def _one_side(self) -> "ReviewCase":
        expected = self.expectations
        if not self.expect_error and expected.expected_error_code is not None:
            raise ValueError("expected_error_code needs expect_error: true")
        written = expected.model_dump(exclude={"expected_error_code"})
        given = {name for name, value in written.items() if value not in (None, ())}
        if self.expect_error and given:
            raise ValueError(
                f"an error has no observations: set {', '.join(sorted(given))} to null"
            )
        return self


class ReviewReference(Frozen):
    """What a perfect service answers with.

    Attributes:
        status: The HTTP status.
        body: The answer.
    """

    status: int = Field(default=200, ge=100, le=599)
    body: JsonObject


def recognises(path: Path) -> bool:
    """Whether a path is a case file, or a folder with some."""
    if path.is_file():
        return _NAMED.fullmatch(path.name) is not None
    return any(_NAMED.fullmatch(file.name) for file in _case_files(path))


def read(path: Path) -> Suite:
    """Read a suite whole; what is wrong in it goes into its problems."""
    findings = Findings()
    folder = SuiteFolder(path if path.is_dir() else path.parent)
    files = [path] if path.is_file() else list(_case_files(path))
    entries = [entry for file in files for entry in _entries(file, folder, findings)]
    return assemble(folder, folder.path.resolve().name, entries, findings)


def _case_files(folder: Path) -> Iterator[Path]:
    below = folder / "cases"
    found = (below if below.is_dir() else folder).glob("*.json")
    yield from sorted(path for path in found if path.is_file())


def _entries(file: Path, folder: SuiteFolder, findings: Findings) -> Iterator[Entry]:
    named = _NAMED.fullmatch(file.name)
    if named is None:
        hint = "case_NN_description.json, in small letters"
        findings.error(str(file), "is not named as a case", hint)
        return
    if not folder.holds(file):
        findings.error(str(file), "is a link that leaves the suite's folder")
        return
    with findings.of_case(named[1]):
        document = read_json(file, findings)
        if document is None:
            return
        written = validate_part(ReviewCase, document, (), findings)
        id = document.value.get("id") if isinstance(document.value, dict) else None
        if isinstance(id, str) and id != named[1]:
            findings.error(document.where(("id",)), f"is {id!r} in a file of {named[1]!r}")
            written = None
        case = None if written is None else _case(written, file, folder, findings)
    yield Entry(id if isinstance(id, str) else "", Part(document), case)


def _case(review: ReviewCase, file: Path, folder: SuiteFolder, findings: Findings) -> Case:
    request = review.request.model_dump()
    return Case(
        id=review.id,
        title=review.description,
        category="error" if review.expect_error else "review",
        turns=(Turn(user=request_text(request)),),
        request=request,
        expect=tuple(_expectations(review)),
        repeat=REPEAT,
        reference=_reference(folder, review.id, findings),
        source=folder.relative(file),
    )


def _expectations(review: ReviewCase) -> Iterator[Expectation]:
    expected = review.expectations
    if review.expect_error:
        yield ServiceStatus(family="client_error", code=expected.expected_error_code)
        return
    yield ServiceStatus()
    if review.response_model is not None:
        yield ReplySchema(model=review.response_model)
    if expected.min_obs is not None or expected.max_obs is not None:
        yield ObservationCount(min=expected.min_obs, max=expected.max_obs)
    for severity in expected.expected_severities or ():
        yield ObservationSeverity(severity=severity)
    for ref in expected.expected_refs or ():
        yield ObservationRef(ref=ref)


def _reference(folder: SuiteFolder, id: str, findings: Findings) -> tuple[ReferenceTurn, ...]:
    path = folder.path / _REFERENCES / f"{id}.json"
    if not path.is_file():
        return ()
    if not folder.holds(path):
        findings.error(str(path), "is a link that leaves the suite's folder")
        return ()
    document: Document | None = read_json(path, findings)
    found = None if document is None else validate_part(ReviewReference, document, (), findings)
    if found is None:
        return ()
    return (
        ReferenceTurn(http_status=found.status, data=found.body, answer=request_text(found.body)),
    )


REVIEW = CaseFormat("review", recognises, read, "case_NN_name.json")
