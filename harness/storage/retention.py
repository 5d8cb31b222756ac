"""Which runs may go: by age, number and size, without those that somebody needs. Pure."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import Literal

from harness.model import Frozen

UNFINISHED_IS_RUNNING = timedelta(hours=24)
"""A run whose trials are missing may still be waited for so long after its last change."""


class StoredRun(Frozen):
    """What is known of a run when it is decided whether it goes.

    Attributes:
        run: Its id.
        name: The name of its directory.
        suite: The short name of its suite.
        started_at: RFC 3339; empty where it is not told.
        changed_at: When it was last written to, RFC 3339.
        note: Why it was made.
        bytes: How much it takes.
        state: `running` while somebody writes it; `unfinished` while trials are missing.
        failed: Whether a case of it did not pass.
        baseline: Whether it was made a baseline.
    """

    run: str
    name: str
    suite: str
    started_at: str
    changed_at: str
    note: str = ""
    bytes: int = 0
    state: Literal["finished", "unfinished", "running"] = "finished"
    failed: bool = False
    baseline: bool = False


@dataclass(frozen=True)
class Retention:
    """What stays.

    Attributes:
        older_than: Runs that began longer ago go; None: age is no reason.
        keep: All but so many of the newest of each suite go; None: number is no reason.
        max_bytes: The oldest go until the others take no more; None: size is no reason.
        keep_failed: Runs that failed stay at least so long.
        protect: Patterns (`release-*`) of ids and notes that stay.
    """

    older_than: timedelta | None = None
    keep: int | None = None
    max_bytes: int | None = None
    keep_failed: timedelta | None = None
    protect: Sequence[str] = ()


class Prospect(Frozen):
    """What becomes of a run.

    Attributes:
        run: Which.
        goes: Whether it is removed.
        reason: Why it goes, or why it stays though a rule chose it; empty where none did.
    """

    run: StoredRun
    goes: bool
    reason: str = ""


def choose_runs(runs: Sequence[StoredRun], rules: Retention, now: datetime) -> tuple[Prospect, ...]:
    """What becomes of each run, the newest first.

    A run goes where one rule chooses it and nothing holds it.
    """
    ordered = sorted(runs, key=lambda run: (run.started_at, run.name), reverse=True)
    chosen = _chosen_by_age_and_number(ordered, rules, now)
    held = {run.name: why for run in ordered if (why := _why_held(run, rules, now))}
    if rules.max_bytes is not None:
        _choose_by_size(ordered, chosen, held, rules.max_bytes)
    found = []
    for run in ordered:
        reason, stays = chosen.get(run.name, ""), held.get(run.name, "")
        goes = bool(reason) and not stays
        found.append(Prospect(run=run, goes=goes, reason=reason if goes else stays))
    return tuple(found)


def _chosen_by_age_and_number(
    ordered: Sequence[StoredRun], rules: Retention, now: datetime
) -> dict[str, str]:
    chosen: dict[str, str] = {}
    seen: dict[str, int] = defaultdict(int)
    for run in ordered:
        seen[run.suite] += 1
        if rules.keep is not None and seen[run.suite] > rules.keep:
            chosen[run.name] = f"not one of the newest {rules.keep} of {run.suite}"
        age = _age(run, now)
        if rules.older_than is not None and age is not None and age > rules.older_than:
            chosen[run.name] = f"{age.days} days old"
    return chosen


def _choose_by_size(
    ordered: Sequence[StoredRun], chosen: dict[str, str], held: dict[str, str], limit: int
) -> None:
    """Choose further runs, the oldest first; those that are held take their place all the same."""
    staying = [run for run in ordered if run.name not in chosen or run.name in held]
    left = sum(run.bytes for run in staying)
    for run in reversed(staying):
        if left <= limit:
            return
        if run.name not in held:
            chosen[run.name] = f"all runs together take more than {limit} bytes"
            left -= run.bytes


def _why_held(run: StoredRun, rules: Retention, now: datetime) -> str:
    if run.state == "running":
        return "its trials are being run"
    if run.baseline:
        return "it is a baseline"
    if any(fnmatchcase(text, each) for each in rules.protect for text in (run.run, run.note)):
        return "it is protected"
    changed = _since(run.changed_at, now)
    if run.state == "unfinished" and (changed is None or changed < UNFINISHED_IS_RUNNING):
        return "it is unfinished, and was changed within a day"
    age = _age(run, now)
    if rules.keep_failed is not None and run.failed and (age is None or age <= rules.keep_failed):
        return "it failed"
    return ""


def _age(run: StoredRun, now: datetime) -> timedelta | None:
    return _since(run.started_at or run.changed_at, now)


def _since(moment: str, now: datetime) -> timedelta | None:
    try:
        return now - datetime.fromisoformat(moment)
    except (ValueError, TypeError):
        return None
