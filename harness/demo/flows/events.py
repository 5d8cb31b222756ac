"""What the Chrome audit log says about a symptom."""

from collections import Counter

from harness.demo.answers import Answer
from harness.demo.flows.settings import CONFIGURATION, fields_of
from harness.demo.google import JsonObject
from harness.demo.investigation import Investigation
from harness.demo.knowledge import ALL_EVENTS, EVENT_KINDS, EventKind
from harness.demo.org_units import read_org_units
from harness.demo.wording import counted, email_in, mentioned

TOP = 3


def event_kind_in(text: str) -> EventKind:
    """The kind of event that a text is about; all kinds when it names none."""
    found = max(EVENT_KINDS, key=lambda kind: len(mentioned(text, kind.words)))
    return found if mentioned(text, found.words) else ALL_EVENTS


def explain_events(case: Investigation) -> Answer:
    """Count the events of a kind, and say who and what stands out."""
    kind = event_kind_in(case.question)
    narrowed = {"eventName": kind.name} if kind.name else {}
    email = email_in(case.question)
    events = case.use("getChromeEvents", **narrowed, **({"user": email} if email else {}))["events"]
    if not events:
        return _nothing_reported(case, kind)
    users = tally(event["user"] for event in events)
    answer = Answer(
        f"{counted(len(events), kind.title)} in the last 7 days; {top(users, 1)} "
        "stands out among the accounts.",
        evidence=[f"{counted(len(events), 'event')} in the last 7 days", f"accounts: {top(users)}"],
        hypotheses=[kind.cause] if kind.cause else ["The week looks ordinary."],
        next_steps=[kind.remedy] if kind.remedy else ["Ask about one kind of event for details."],
    )
    if not kind.name:
        answer.evidence.append(f"kinds: {top(tally(event['name'] for event in events), 20)}")
    for parameter, title in kind.by.items():
        told = [str(event["parameters"].get(parameter, "?")) for event in events]
        values = tally(map(case.cite, told) if parameter.endswith("_ID") else told)
        answer.evidence.append(f"{title}: {top(values)}")
    latest = events[0]
    answer.evidence.append(f"latest: {case.cite(latest['id'])} by {latest['user']}")
    return answer


def _nothing_reported(case: Investigation, kind: EventKind) -> Answer:
    """No events are good news only where events are reported."""
    units = read_org_units(case)
    unit = units.named_in(case.question) or units.root
    reporting = "chrome.users.OnSecurityEvent"
    rows = case.use(CONFIGURATION, schema=reporting, orgUnit=unit["id"])["policies"]
    value: JsonObject = next((row["value"] for row in rows), {})
    source = next((row["source"] for row in rows if row["source"]), "")
    where = (
        f"{units.path(source)} ({case.cite(source.rpartition('/')[2])})" if source else "nowhere"
    )
    events = value.get("reportingConnector", {}).get("eventConfiguration", {})
    off = not value or events.get("explicitlyEmptyEventNames", False)
    state = fields_of(value) or "not set"
    verdict = (
        "browsers do not report any, so nothing can be concluded from that"
        if off
        else "reporting is on, so there were none"
    )
    return Answer(
        f"0 events of the kind {kind.title} in the last 7 days on record; {verdict}.",
        evidence=["0 events in the last 7 days", f"{reporting} is {state}, set on {where}"],
        hypotheses=["Reporting was switched off." if off else "The week was quiet."],
        next_steps=["Enable event reporting." if off else "Nothing to do; look again next week."],
    )


def tally(values: object) -> list[tuple[str, int]]:
    """Values with how often they occur, most frequent first, then by name.

    >>> tally(["b", "a", "b"])
    [('b', 2), ('a', 1)]
    """
    counts = Counter(values)  # type: ignore[call-overload]
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def top(values: list[tuple[str, int]], most: int = TOP) -> str:
    """The most frequent values as text.

    >>> top([("b", 2), ("a", 1)])
    'b (2), a (1)'
    """
    return ", ".join(f"{value} ({count})" for value, count in values[:most])


def results_of(events: list[JsonObject]) -> str:
    """What became of events, counted."""
    results = (str(event["parameters"].get("EVENT_RESULT", "?")) for event in events)
    return top(tally(result.removeprefix("EVENT_RESULT_") for result in results), 5)
