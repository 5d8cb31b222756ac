"""Puts the cases of a suite together: what can only be judged once all of them are read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.cases.advice import advice
from harness.cases.contradictions import contradictions, doubts
from harness.cases.fixtures import SuiteFolder
from harness.cases.suite import Suite
from harness.documents import Findings, Part
from harness.model import Case
from mockserver.model import did_you_mean


@dataclass(frozen=True)
class Entry:
    """One place where a case is written down.

    Attributes:
        id: Its id, as far as it can be read.
        part: The part of a file.
        case: The case, or None when the entry is invalid.
    """

    id: str
    part: Part
    case: Case | None

    @property
    def where(self) -> str:
        """File and line, or file and pointer."""
        return self.part.where()


def assemble(folder: SuiteFolder, name: str, entries: Sequence[Entry], findings: Findings) -> Suite:
    """The suite of these entries, with what is wrong in each and between them."""
    for entry in entries:
        if entry.case is not None:
            with findings.of_case(entry.id):
                _judge(entry.case, entry.part, folder, findings)
    invalid = findings.invalid_cases()
    doubles = _doubles(entries, findings)
    _nearly_doubles(entries, findings)
    if entries:
        _strangers(folder, entries, findings)
    elif not findings.problems:
        findings.error(str(folder.path), "holds no case")
    cases = tuple(
        entry.case
        for place, entry in enumerate(entries)
        if entry.case is not None and entry.id not in invalid and place not in doubles
    )
    parts = {entry.id: entry.part for entry in reversed(entries)}
    return Suite(folder.path, name, cases, tuple(findings.problems), parts=parts)


def _doubles(entries: Iterable[Entry], findings: Findings) -> set[int]:
    """The places of entries whose id an earlier one has."""
    first: dict[str, str] = {}
    found: set[int] = set()
    for place, entry in enumerate(entries):
        if entry.id and entry.id in first:
            found.add(place)
            with findings.of_case(entry.id):
                message = f"duplicate id {entry.id!r}, first at {first[entry.id]}"
                findings.error(entry.where, message)
        first.setdefault(entry.id, entry.where)
    return found


def _nearly_doubles(entries: Iterable[Entry], findings: Findings) -> None:
    """Ids that differ by letter case alone: folders of some file systems are the same for both."""
    first: dict[str, Entry] = {}
    for entry in entries:
        other = first.setdefault(entry.id.casefold(), entry)
        if other.id != entry.id:
            with findings.of_case(entry.id):
                message = f"the id {entry.id!r} differs from {other.id!r} by letter case alone"
                place = entry.part.where([entry.id])
                findings.warning(place, message, f"rename one; the other is at {other.where}")


def _judge(case: Case, part: Part, folder: SuiteFolder, findings: Findings) -> None:
    for remark in contradictions(case):
        findings.error(part.where(remark.about), f"{case.id}: {remark.message}", remark.hint)
    for remark in (*doubts(case), *advice(case, folder)):
        findings.warning(part.where(remark.about), f"{case.id}: {remark.message}", remark.hint)


def _strangers(folder: SuiteFolder, entries: Sequence[Entry], findings: Findings) -> None:
    """Override folders that no case is named after and no case names."""
    ids = {entry.id for entry in entries}
    cases = [entry.case for entry in entries if entry.case is not None]
    used = {name.split("/")[0] for case in cases for name in case.fixtures.overrides}
    for name in folder.overrides():
        if name not in ids | used:
            findings.error(
                str(folder.fixtures / name),
                f"override for an unknown case {name!r}",
                did_you_mean(name, ids),
            )
