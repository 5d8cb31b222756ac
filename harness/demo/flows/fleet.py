"""What is installed, and which machines have gone quiet."""

from datetime import datetime

from harness.demo.answers import Answer
from harness.demo.clock import now
from harness.demo.flows.events import tally, top
from harness.demo.google import JsonObject
from harness.demo.investigation import Investigation
from harness.demo.org_units import OrgUnits, read_org_units
from harness.demo.wording import counted, mentions

QUIET_DAYS = 30
_QUIET_WORDS = ("stale", "stopped syncing", "inactive", "not synced", "quiet", "sync")


def explain_fleet(case: Investigation) -> Answer:
    """Answer about one machine, about quiet machines, or about versions."""
    units = read_org_units(case)
    fleet = case.use("getFleetOverview")
    machine = next((b for b in fleet["browsers"] if mentions(case.question, b["machine"])), None)
    if machine is not None:
        return _one_machine(case, units, machine)
    if any(mentions(case.question, word) for word in _QUIET_WORDS):
        return _quiet_machines(case, units, fleet["browsers"])
    return _versions(fleet["versions"])


def _one_machine(case: Investigation, units: OrgUnits, browser: JsonObject) -> Answer:
    where = units.path(browser["orgUnit"])
    days = days_since(browser["lastActivity"])
    return Answer(
        f"{browser['machine']} is enrolled in {where}, runs {browser['version']} and was last "
        f"active {counted(days, 'day')} ago.",
        evidence=[
            f"{browser['machine']} is device {case.cite(browser['id'])}",
            f"org unit {where} ({case.cite(browser['orgUnit'])}), last user {browser['user']}",
            f"version {browser['version']}",
        ],
        hypotheses=["A browser gets the machine policies of its own org unit, not of its user's."],
        next_steps=[f"Move {browser['machine']} if {where} is not where it belongs."],
    )


def _quiet_machines(case: Investigation, units: OrgUnits, browsers: list[JsonObject]) -> Answer:
    aged = [(days_since(browser["lastActivity"]), browser) for browser in browsers]
    quiet = sorted((pair for pair in aged if pair[0] >= QUIET_DAYS), key=lambda pair: -pair[0])
    return Answer(
        f"{len(quiet)} of {counted(len(browsers), 'enrolled browser')} were not active for "
        f"{QUIET_DAYS} days or more.",
        evidence=[
            f"{browser['machine']} ({case.cite(browser['id'])}) in "
            f"{units.path(browser['orgUnit'])}: {counted(days, 'day')} without activity, "
            f"last user {browser['user']}"
            for days, browser in quiet
        ]
        or [f"all {counted(len(browsers), 'browser')} were active within {QUIET_DAYS} days"],
        hypotheses=["The machines are switched off, wiped, or no longer reach Google."],
        next_steps=["Ask the last users, then delete the machines that are gone."],
    )


def _versions(rows: list[JsonObject]) -> Answer:
    totals: dict[str, int] = {}
    for row in rows:
        totals[row["version"]] = totals.get(row["version"], 0) + row["count"]
    newest = max(totals, key=_numbers, default="")
    stable = max((r["version"] for r in rows if r["channel"] == "STABLE"), key=_numbers, default="")
    behind = {v: n for v, n in totals.items() if _numbers(v) < _numbers(stable)}
    if not totals:
        return Answer("No browser reports a version.", evidence=["0 versions reported"])
    return Answer(
        f"{sum(behind.values())} of {counted(sum(totals.values()), 'browser')} run a version "
        f"older than {stable}, the newest stable one in use.",
        evidence=[f"{version}: {counted(count, 'browser')}" for version, count in totals.items()]
        + [f"behind by system: {top(_by_system(rows, behind)) or 'none'}", f"newest: {newest}"],
        hypotheses=["Old versions stay where updates are pinned or machines are rarely started."],
        next_steps=["Check the update policy of the org units with the oldest versions."],
    )


def _by_system(rows: list[JsonObject], behind: dict[str, int]) -> list[tuple[str, int]]:
    return tally(r["system"] for r in rows if r["version"] in behind for _ in range(r["count"]))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def days_since(time: str) -> int:
    """Whole days since a time; 0 when it is not known."""
    if not time:
        return 0
    return (now() - datetime.fromisoformat(time)).days
