"""A finding of drift as text, Markdown or JSON."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import orjson

from mockserver.drift.changes import Change, Tier

EXIT_CODES: Mapping[Tier, int] = {
    Tier.COUNT: 0,
    Tier.ADDED: 10,
    Tier.VALUES: 11,
    Tier.TYPE: 12,
    Tier.REMOVED: 13,
}
"""What the command exits with for the worst tier that it found."""

STALE = 14
"""What it exits with for a recording that is too old, whatever else it found."""

_NAMES = {
    Tier.COUNT: "counts",
    Tier.ADDED: "added",
    Tier.VALUES: "value set changed",
    Tier.TYPE: "type changed",
    Tier.REMOVED: "removed",
}
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What a comparison found.

    Attributes:
        old: What was compared.
        new: What it was compared with: a file, or the installed documents; empty where only the
            age was looked at.
        changes: The worst tier first.
        stale: Why recordings are too old, one sentence each.
        readers: Cases that read what a change speaks of; None where no run was named.
    """

    old: str
    new: str
    changes: tuple[Change, ...]
    stale: tuple[str, ...] = ()
    readers: Mapping[Change, tuple[str, ...]] | None = field(default=None)

    @property
    def cases(self) -> tuple[str, ...]:
        """All cases that read something that changed, in alphabetical order."""
        return tuple(sorted({case for each in (self.readers or {}).values() for case in each}))


def exit_code(finding: Finding, fail_on: Tier = Tier.ADDED) -> int:
    """The exit code: the worst tier from `fail_on` on, or that of a stale recording."""
    if finding.stale:
        return STALE
    worst = max((change.tier for change in finding.changes), default=Tier.COUNT)
    return EXIT_CODES[worst] if worst >= fail_on else 0


def find_tier(name: str) -> Tier | None:
    """The tier of a name (`added`, `values`, `type`, `removed`, `counts`), or None."""
    return {"counts": Tier.COUNT, **{each.name.lower(): each for each in Tier}}.get(name)


def text_report(finding: Finding) -> str:
    """For a terminal: one line for each change."""
    lines = [_title(finding)]
    lines += [f"stale: {reason}" for reason in finding.stale]
    for change in finding.changes:
        lines.append(f"{_NAMES[change.tier]}: {_where(change)}: {change.message}")
        lines += [f"  read by {_list_few(cases)}" for cases in [_cases(finding, change)] if cases]
    return "\n".join([*lines, _summary(finding), ""])


def markdown_report(finding: Finding) -> str:
    """For a pull request: a table."""
    lines = [f"### {_title(finding)}", ""]
    lines += [f"* **stale**: {_cell(reason)}" for reason in finding.stale]
    if finding.changes:
        with_cases = finding.readers is not None
        lines += ["", f"| Tier | Where | What |{' Read by |' if with_cases else ''}"]
        lines.append(f"|---|---|---|{'---|' if with_cases else ''}")
        for change in finding.changes:
            row = [_NAMES[change.tier], f"`{_where(change)}`", change.message]
            row += [_list_few(_cases(finding, change))] * with_cases
            lines.append(f"| {' | '.join(map(_cell, row))} |")
    return "\n".join([*lines, "", _summary(finding), ""])


def json_report(finding: Finding) -> str:
    """For programs."""
    value = {
        "old": finding.old,
        "new": finding.new,
        "stale": list(finding.stale),
        "counts": {
            each.name.lower(): sum(change.tier is each for change in finding.changes)
            for each in reversed(Tier)
        },
        "changes": [
            {
                "tier": change.tier.name.lower(),
                "subject": change.subject,
                "path": change.path,
                "message": change.message,
                **({} if finding.readers is None else {"cases": list(_cases(finding, change))}),
            }
            for change in finding.changes
        ],
        "cases": list(finding.cases),
    }
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n"


FORMATS: Mapping[str, Callable[[Finding], str]] = {
    "text": text_report,
    "markdown": markdown_report,
    "json": json_report,
}
"""Format to the function that writes it."""


def _title(finding: Finding) -> str:
    return f"drift: {finding.old} against {finding.new}" if finding.new else f"age: {finding.old}"


def _summary(finding: Finding) -> str:
    counts = [
        f"{count} {_NAMES[each]}"
        for each in reversed(Tier)
        if (count := sum(change.tier is each for change in finding.changes))
    ]
    told = ", ".join(counts) if counts else "no change"
    return f"{told}; read by {_list_few(finding.cases)}" if finding.cases else told


def _where(change: Change) -> str:
    return f"{change.subject} {change.path}" if change.path else change.subject


def _cases(finding: Finding, change: Change) -> tuple[str, ...]:
    return (finding.readers or {}).get(change, ())


def _list_few(cases: tuple[str, ...]) -> str:
    more = len(cases) - _NAMED
    return ", ".join(cases[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
