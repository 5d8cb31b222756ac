"""What the server saw, and what it holds at the end."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from harness.checks.changes import collateral, means
from harness.checks.globs import is_named
from harness.checks.phrases import quoted
from harness.checks.results import not_evaluated, verdict
from harness.checks.subsets import difference, is_subset, is_subset_of_request
from harness.model import (
    CheckResult,
    ExpectedRequest,
    ExpectedRow,
    Json,
    JsonObject,
    ServerRequests,
    ServerState,
    TrialRecord,
)
from mockserver.model import JournalEntry

_NO_SESSION = "no mock session was open, so nobody saw what the agent asked"
_NAMED = 3
_MOST_OPERATIONS = 100


def check_requests(record: TrialRecord, expectation: ServerRequests) -> CheckResult:
    """Whether the journal shows each request often enough, and not too often.

    What a tool asked on the agent's behalf counts like a request of the agent's own. With
    `allow_others` false, only what an expected request led to, or came from, may stand beside it;
    list `oauth2.*` with `min: 0` where clients sign in by themselves.
    """
    if not record.session:
        return not_evaluated(expectation, _NO_SESSION)
    entries = [entry for entry in record.journal.entries if not entry.after_close]
    counts = [_count(request, entries) for request in expectation.requests]
    problems = [
        problem
        for request, count in zip(expectation.requests, counts, strict=True)
        if (problem := _count_problem(request, count, entries))
    ]
    others = [] if expectation.allow_others else _others(expectation, entries)
    problems += [f"not expected: {quoted(others)}"] if others else []
    certain = bool(others) or any(map(_is_too_often, expectation.requests, counts))
    if record.journal.evicted and not certain:
        dropped = f"the journal dropped its {record.journal.evicted} oldest entries"
        return not_evaluated(expectation, dropped, counts=counts)
    reason = "server requests: " + "; ".join(problems) if problems else ""
    return verdict(expectation, reason, counts=counts, others=others, entries=len(entries))


def check_state(record: TrialRecord, expectation: ServerState) -> CheckResult:
    """Whether the resources are there as expected, and nothing else was written to.

    With `allow`, whatever else the agent changed is collateral damage: `collateral` in the numbers
    holds it as a JSON Patch over all collections (the first 100 operations).
    """
    if not record.session:
        return not_evaluated(expectation, _NO_SESSION)
    unknown = [row.collection for row in expectation.rows if row.collection not in record.state]
    if unknown:
        return not_evaluated(expectation, f"the record holds no state of {quoted(unknown)}")
    problems = [
        problem
        for row in expectation.rows
        if (problem := _row_problem(row, record.state[row.collection]))
    ]
    changed = {name for name, changes in record.state_diff.items() if any(changes.values())}
    written = sorted(
        name
        for name in changed.union(record.written)
        if any(means(glob, name) for glob in expectation.unchanged)
    )
    undone = [name for name in written if name not in changed]
    problems += [f"written to, though it must stay as it is: {quoted(written)}"] if written else []
    problems += [f"what was written to {quoted(undone)} was undone later"] if undone else []
    patch = []
    if expectation.allow is not None:
        patch = collateral(record, expectation.rows, expectation.allow)
    problems += _damage(patch)
    reason = "server state: " + "; ".join(problems) if problems else ""
    return verdict(
        expectation,
        reason,
        rows=len(expectation.rows),
        written=written,
        undone=undone,
        collateral=patch[:_MOST_OPERATIONS],
    )


def _damage(patch: Sequence[JsonObject]) -> list[str]:
    if not patch:
        return []
    told = [f"{operation['op']} {operation['path']}" for operation in patch[:_NAMED]]
    more = f" and {len(patch) - _NAMED} more" if len(patch) > _NAMED else ""
    return [f"collateral damage: {', '.join(told)}{more}"]


class Asked(Protocol):
    """A request that is described."""

    @property
    def method(self) -> str:
        """Glob of method ids."""
        ...

    @property
    def params(self) -> JsonObject:
        """Parameters or body fields, as a subset."""
        ...


def asks_for(request: Asked, entry: JournalEntry) -> bool:
    """Whether an entry is the request, whatever it was answered with."""
    if not is_named(entry.method_id, request.method):
        return False
    body = entry.body or {}
    return all(
        (name in entry.params and is_subset_of_request(value, entry.params[name]))
        or (name in body and is_subset(value, body[name]))
        for name, value in request.params.items()
    )


def _answered_so(request: ExpectedRequest, entry: JournalEntry) -> bool:
    return entry.status < 400 if request.status is None else entry.status == request.status


def _count(request: ExpectedRequest, entries: Iterable[JournalEntry]) -> int:
    return sum(asks_for(request, entry) and _answered_so(request, entry) for entry in entries)


def _answered_otherwise(request: ExpectedRequest, entries: Sequence[JournalEntry]) -> str:
    """What was asked for and answered with another status, to be put behind a count."""
    found = [
        str(entry.status)
        for entry in entries
        if asks_for(request, entry) and not _answered_so(request, entry)
    ]
    statuses = ", ".join(dict.fromkeys(found))
    return f"; {len(found)} more answered {statuses}" if found else ""


def _is_too_often(request: ExpectedRequest, count: int) -> bool:
    return request.max is not None and count > request.max


def _count_problem(request: ExpectedRequest, count: int, entries: Sequence[JournalEntry]) -> str:
    wanted = "" if request.status is None else f" answered {request.status}"
    if request.params:
        wanted = f" with {request.params!r}{wanted}"
    if count < request.min:
        told = f"{request.method!r}{wanted} seen {count} times, at least {request.min} expected"
        return told + _answered_otherwise(request, entries)
    if _is_too_often(request, count):
        return f"{request.method!r}{wanted} seen {count} times, at most {request.max} expected"
    return ""


def _others(expectation: ServerRequests, entries: list[JournalEntry]) -> list[str]:
    """Methods of the entries that nothing expects, directly or through a tool."""
    expected = {
        entry.seq
        for entry in entries
        if any(asks_for(request, entry) for request in expectation.requests)
    }
    callers = {entry.parent for entry in entries if entry.seq in expected}
    return sorted(
        {
            entry.method_id or f"{entry.http_method} {entry.path}"
            for entry in entries
            if entry.seq not in expected | callers and entry.parent not in expected
        }
    )


def _row_problem(row: ExpectedRow, state: Json) -> str:
    picked = [resource for resource in resources(state) if is_subset(row.where, resource)]
    label = f"{row.collection!r}" + (f" where {row.where!r}" if row.where else "")
    if row.count is not None and len(picked) != row.count:
        return f"{label}: {len(picked)} found, {row.count} expected"
    if row.count is None and not picked:
        return f"{label}: none found"
    for resource in picked:
        if differs := difference(row.has, resource, row.collection):
            return f"{label}: {differs}"
    return ""


def resources(state: Json) -> list[JsonObject]:
    """The resources of a collection as a record holds it."""
    return list(state.values()) if isinstance(state, dict) else list(state or ())
