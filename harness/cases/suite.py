"""What a case format reads: a suite with its cases and everything that is wrong with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.documents import Part, Remark
from harness.errors import CaseProblem
from harness.model import Case


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
    """

    name: str
    recognises: Callable[[Path], bool]
    read: Callable[[Path], Suite]
