"""Puts the cases of a suite together: what can only be judged once all of them are read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.cases.advice import advice
from harness.cases.findings import Findings
from harness.cases.folder import SuiteFolder
from harness.cases.rules import contradictions
from harness.cases.suite import Suite
from harness.model import Case
from mockserver.model import did_you_mean


@dataclass(frozen=True)
class Entry:
    """One place where a case is written down.

    Attributes:
        id: Its id, as far as it can be read.
        where: File and line, or file and pointer.
        case: The case, or None when the entry is invalid.
    """

    id: str
    where: str
    case: Case | None


def assemble(folder: SuiteFolder, name: str, entries: Sequence[Entry], findings: Findings) -> Suite:
    """The suite of these entries, with what is wrong in each and between them."""
    _doubles(entries, findings)
    for entry in entries:
        if entry.case is not None:
            _judge(entry.case, entry.where, folder, findings)
    if entries:
        _strangers(folder, entries, findings)
    elif not findings.problems:
        findings.error(str(folder.path), "holds no case")
    cases = tuple(entry.case for entry in entries if entry.case is not None)
    return Suite(folder.path, name, cases, tuple(findings.problems))


def _doubles(entries: Iterable[Entry], findings: Findings) -> None:
    first: dict[str, str] = {}
    for entry in entries:
        if entry.id and entry.id in first:
            findings.error(entry.where, f"duplicate id {entry.id!r}, first at {first[entry.id]}")
        first.setdefault(entry.id, entry.where)


def _judge(case: Case, where: str, folder: SuiteFolder, findings: Findings) -> None:
    for reason in contradictions(case):
        findings.error(where, f"{case.id}: {reason}")
    for reason in advice(case, folder):
        findings.warning(where, f"{case.id}: {reason}")


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
