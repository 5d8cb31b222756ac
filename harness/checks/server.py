"""What the server saw, what it holds at the end, and what the agent changed on it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Annotated, ClassVar, Literal, Protocol

from pydantic import AfterValidator, Field, model_validator
from typing_extensions import override

from harness.checks.expectation import (
    AnyExpectation,
    Mention,
    Needle,
    not_evaluated,
    verdict,
    with_excess,
)
from harness.checks.matchers import difference, is_named, is_subset, is_subset_of_request
from harness.checks.phrases import quote_names
from harness.checks.sections import (
    Block,
    Names,
    Section,
    checked_matchers,
    name_or_object,
    single_or_list,
)
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from harness.trials.values import Frozen, Json, JsonObject
from mockserver.model import JournalEntry

ChangeKind = Literal["added", "removed", "changed"]


class ChangeEvent(Frozen):
    """A change of a resource on the server between the beginning and the end.

    Attributes:
        collection: Glob of collections.
        where: Fields of the resource (before or after), as a subset.
        kinds: How it changed; any way when empty.
        fields: JSON pointers (globs) below which a changed resource may differ; any when empty.
    """

    collection: Needle
    where: JsonObject = {}
    kinds: tuple[ChangeKind, ...] = ()
    fields: tuple[Needle, ...] = ()


class ExpectedRequest(Frozen):
    """A request that the server must have seen.

    Attributes:
        method: Method id or glob (`chromepolicy.customers.policies.resolve`, `directory.*`,
            `tools.*`).
        params: Parameters or body fields it must have had, as a subset.
        status: The status it was answered with; None for any below 400.
        min: At least this many.
        max: At most this many; None for any number.
    """

    method: Needle
    params: JsonObject = {}
    status: int | None = None
    min: int = Field(default=1, ge=0)
    max: int | None = Field(default=None, ge=0)


class ServerRequests(AnyExpectation):
    """What the server's journal must show; with `allow_others` false nothing else."""

    kind: Literal["server_requests"] = "server_requests"
    failure: ClassVar[str] = "server requests"
    problem_lists: ClassVar[tuple[str, ...]] = ("others",)
    quotes_values: ClassVar[bool] = True
    rests_on_answers: ClassVar[bool] = True
    requests: tuple[ExpectedRequest, ...] = Field(min_length=1)
    allow_others: bool = True

    @override
    def mentions(self) -> Iterator[Mention]:
        for each in self.requests:
            yield Mention("method", each.method, each.min > 0, tuple(each.params))


class ExpectedRow(Frozen):
    """A resource that must be there (or not) at the end of the trial.

    Attributes:
        collection: `orgUnits`, `policies`, `users`, ...
        where: Fields that pick the resources, as a subset.
        has: Fields that each picked resource must have, as a subset.
        count: How many must be picked; None for at least one.
    """

    collection: Needle
    where: JsonObject = {}
    has: JsonObject = {}
    count: int | None = Field(default=None, ge=0)


class ServerState(AnyExpectation):
    """What the server must hold at the end.

    Attributes:
        rows: What must be there.
        unchanged: Collections (or globs) that the agent must not have written to.
        allow: Changes that do not matter; when given, whatever else the agent changed, and `rows`
            does not speak of, is collateral damage.
    """

    kind: Literal["server_state"] = "server_state"
    failure: ClassVar[str] = "server state"
    problem_lists: ClassVar[tuple[str, ...]] = ("written",)
    quotes_values: ClassVar[bool] = True
    rows: tuple[ExpectedRow, ...] = ()
    unchanged: tuple[Needle, ...] = ()
    allow: tuple[ChangeEvent, ...] | None = None

    @override
    def mentions(self) -> Iterator[Mention]:
        for row in self.rows:
            yield Mention("collection", row.collection, row.count != 0, (*row.where, *row.has))
        for change in self.allow or ():
            yield Mention("collection", change.collection, inside=tuple(change.where))
        yield from (Mention("collection", name) for name in self.unchanged)

    @property
    @override
    def final_collections(self) -> tuple[str, ...]:
        return tuple(row.collection for row in self.rows)


BOOKKEEPING = "tokens"
"""Signing in writes to this collection; only its own name speaks of it."""

_FOLLOWING = frozenset({"/etag", "/fingerprint", "/revisionId", "/updateTime"})
"""Fields that the server renews with every change; none is a change of its own."""

_KINDS = ("added", "removed", "changed")


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one resource.

    Attributes:
        collection: Its collection.
        kind: `added`, `removed` or `changed`.
        key: Its key.
        before: As it was; None when added.
        after: As it is; None when removed.
    """

    collection: str
    kind: str
    key: str
    before: JsonObject | None
    after: JsonObject | None

    @property
    def place(self) -> str:
        """Collection and key as a JSON pointer."""
        return f"/{_escape(self.collection)}/{_escape(self.key)}"

    def holds(self, where: JsonObject) -> bool:
        """Whether the resource had or has these fields."""
        return any(is_subset(where, each) for each in (self.before, self.after) if each is not None)

    def patch(self) -> list[JsonObject]:
        """The operations (RFC 6902) that lead from before to after, on all collections.

        Fields that the server renews with every change (`etag`, `updateTime`, ...) are left out.
        """
        if self.before is None:
            return [{"op": "add", "path": self.place, "value": self.after}]
        if self.after is None:
            return [{"op": "remove", "path": self.place}]
        import jsonpatch

        found = list(jsonpatch.make_patch(self.before, self.after))
        own = [operation for operation in found if operation["path"] not in _FOLLOWING]
        return [_move_operation(operation, self.place) for operation in own]


def changes(record: TrialRecord) -> Iterator[Change]:
    """What the agent changed.

    Yields:
        Each resource that was added, removed or changed, by collection.
    """
    for collection, of_kind in record.state_diff.items():
        for kind in _KINDS:
            for key, row in of_kind.get(kind, {}).items():
                before, after = {
                    "added": (None, row),
                    "removed": (row, None),
                    "changed": (row.get("before"), row.get("after")),
                }[kind]
                yield Change(collection, kind, key, before, after)


def names_collection(glob: str, collection: str) -> bool:
    """Whether a glob names a collection; a pattern does not speak of bookkeeping."""
    if collection == BOOKKEEPING:
        return glob == collection
    return is_named(collection, glob)


def is_event(event: ChangeEvent, change: Change) -> bool:
    """Whether a change is the one that is described, whole or in some of its fields."""
    return (
        names_collection(event.collection, change.collection)
        and (not event.kinds or change.kind in event.kinds)
        and change.holds(event.where)
        and (not event.fields or any(_below(event, change, each) for each in change.patch()))
    )


def unexpected_changes(
    record: TrialRecord, expected: Sequence[ExpectedRow], allowed: Sequence[ChangeEvent]
) -> list[JsonObject]:
    """What was changed and neither expected nor allowed, as JSON Patch operations.

    A resource that an expected row picks is expected whole; with a count of 0, its removal.
    """
    return [
        operation
        for change in changes(record)
        if change.collection != BOOKKEEPING
        and not any(_is_expected(row, change) for row in expected)
        for operation in _not_allowed(change, allowed)
    ]


def _is_expected(row: ExpectedRow, change: Change) -> bool:
    picked = change.before if row.count == 0 else change.after
    return (
        row.collection == change.collection
        and picked is not None
        and is_subset(row.where, picked)
        and (row.count != 0 or change.kind == "removed")
    )


def _not_allowed(change: Change, allowed: Sequence[ChangeEvent]) -> list[JsonObject]:
    speaking = [event for event in allowed if is_event(event, change)]
    if any(not event.fields for event in speaking):
        return []
    return [
        operation
        for operation in change.patch()
        if not any(_below(event, change, operation) for event in speaking)
    ]


def _below(event: ChangeEvent, change: Change, operation: JsonObject) -> bool:
    path = str(operation["path"]).removeprefix(change.place)
    return any(fnmatchcase(path, glob) or path.startswith(f"{glob}/") for glob in event.fields)


def _move_operation(operation: JsonObject, place: str) -> JsonObject:
    return {
        key: f"{place}{value}" if key in {"path", "from"} else value
        for key, value in operation.items()
    }


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


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
    others = [] if expectation.allow_others else _unexpected_methods(expectation, entries)
    above = [
        _count_problem(request, count, entries)
        for request, count in zip(expectation.requests, counts, strict=True)
        if _is_too_often(request, count)
    ]
    is_complete = len(problems) == len(above)  # else a request may stand in place of another
    problems += [f"not expected: {quote_names(others)}"] if others else []
    certain = bool(others) or bool(above)
    excess = "; ".join(problems if is_complete else above)
    if record.journal.evicted and not certain:
        dropped = f"the journal dropped its {record.journal.evicted} oldest entries"
        return not_evaluated(expectation, dropped, counts=counts)
    reason = "server requests: " + "; ".join(problems) if problems else ""
    facts = {"counts": counts, "others": others, "entries": len(entries)}
    return with_excess(verdict(expectation, reason, **facts), excess)


def check_state(record: TrialRecord, expectation: ServerState) -> CheckResult:
    """Whether the resources are there as expected, and nothing else was written to.

    With `allow`, whatever else the agent changed is collateral damage: `collateral` in the numbers
    holds it as a JSON Patch over all collections (the first 100 operations).
    """
    if not record.session:
        return not_evaluated(expectation, _NO_SESSION)
    unknown = [row.collection for row in expectation.rows if row.collection not in record.state]
    if unknown:
        return not_evaluated(expectation, f"the record holds no state of {quote_names(unknown)}")
    problems = [
        problem
        for row in expectation.rows
        if (problem := _row_problem(row, record.state[row.collection]))
    ]
    changed = {name for name, changes in record.state_diff.items() if any(changes.values())}
    written = sorted(
        name
        for name in changed.union(record.written)
        if any(names_collection(glob, name) for glob in expectation.unchanged)
    )
    undone = [name for name in written if name not in changed]
    problems += (
        [f"written to, though it must stay as it is: {quote_names(written)}"] if written else []
    )
    problems += [f"what was written to {quote_names(undone)} was undone later"] if undone else []
    patch = []
    if expectation.allow is not None:
        patch = unexpected_changes(record, expectation.rows, expectation.allow)
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


class RequestPattern(Protocol):
    """A request that is described."""

    @property
    def method(self) -> str:
        """Glob of method ids."""
        ...

    @property
    def params(self) -> JsonObject:
        """Parameters or body fields, as a subset."""
        ...


def matches_request(request: RequestPattern, entry: JournalEntry) -> bool:
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
    return sum(
        matches_request(request, entry) and _answered_so(request, entry) for entry in entries
    )


def _answered_otherwise(request: ExpectedRequest, entries: Sequence[JournalEntry]) -> str:
    """What was asked for and answered with another status, to be put behind a count.

    What the mock server does not serve is no fault of the agent: it says so in its own words.
    """
    found = [
        entry
        for entry in entries
        if matches_request(request, entry) and not _answered_so(request, entry)
    ]
    if not found:
        return ""
    statuses = ", ".join(dict.fromkeys(str(entry.status) for entry in found))
    misses = (entry.miss for entry in found if entry.miss is not None)
    unserved = next((each.reason for each in misses if each.blame == "not_emulated"), "")
    return f"; {len(found)} more answered {statuses}: {unserved}".rstrip(".: ")


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


def _unexpected_methods(expectation: ServerRequests, entries: list[JournalEntry]) -> list[str]:
    """Methods of the entries that nothing expects, directly or through a tool."""
    expected = {
        entry.seq
        for entry in entries
        if any(matches_request(request, entry) for request in expectation.requests)
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


def _usable_request(request: ExpectedRequest) -> ExpectedRequest:
    if request.max is not None and request.max < request.min:
        raise ValueError("'max' is below 'min'")
    checked_matchers(request.params)
    return request


def _usable_row(row: ExpectedRow) -> ExpectedRow:
    checked_matchers(row.where)
    checked_matchers(row.has)
    return row


def _usable_change(change: ChangeEvent) -> ChangeEvent:
    checked_matchers(change.where)
    if change.fields and change.kinds and "changed" not in change.kinds:
        raise ValueError("'fields' needs kind 'changed'")
    return change


_Request = Annotated[
    ExpectedRequest, name_or_object("method", ExpectedRequest), AfterValidator(_usable_request)
]
_Row = Annotated[ExpectedRow, AfterValidator(_usable_row)]
_AllowedChange = Annotated[
    ChangeEvent, name_or_object("collection", ChangeEvent), AfterValidator(_usable_change)
]


class StateBlock(Block):
    """What the server holds at the end.

    Attributes:
        expect: Resources that must be there.
        unchanged: Collections (or globs) that the agent must not have written to.
        allow: Changes that do not matter: collections (or globs), or `{collection, where, kinds,
            fields}`. When given, all that is neither expected nor allowed is collateral damage.
    """

    expect: tuple[_Row, ...] = ()
    unchanged: Names | None = None
    allow: Annotated[tuple[_AllowedChange, ...], single_or_list(str | ChangeEvent)] | None = None

    @model_validator(mode="after")
    def _check_use(self) -> "StateBlock":
        if not self.expect and not self.unchanged and self.allow is None:
            raise ValueError("needs 'expect', 'unchanged' or 'allow'")
        return self


class ServerBlock(Block):
    """What the mock server saw and holds.

    Attributes:
        requests: Requests that it must have seen: method ids, or
            `{method, params, status, min, max}`.
        allow_others: False: it must have seen no request besides these.
        state: What it holds at the end.
        required: False makes the results informational.
    """

    requests: tuple[_Request, ...] = ()
    allow_others: bool = True
    state: StateBlock | None = None
    required: bool = True

    @model_validator(mode="after")
    def _check_use(self) -> "ServerBlock":
        if not self.requests and not self.allow_others:
            raise ValueError("'allow_others' needs 'requests'")
        if not self.requests and self.state is None:
            raise ValueError("needs 'requests' or 'state'")
        for request in self.requests:
            if self.allow_others and request.min == 0 and request.max is None:
                raise ValueError(f"no journal could fail {request.method!r}: give 'min' or 'max'")
        return self

    def expectations(self, turn: int | None) -> Iterator[AnyExpectation]:
        """What the block stands for.

        Yields:
            The requests, then the state.
        """
        if self.requests:
            yield ServerRequests(
                turn=turn,
                requests=self.requests,
                allow_others=self.allow_others,
                required=self.required,
            )
        if self.state:
            yield ServerState(
                turn=turn,
                rows=self.state.expect,
                unchanged=self.state.unchanged or (),
                allow=self.state.allow,
                required=self.required,
            )


def _as_block(kind: str, fields: JsonObject) -> JsonObject:
    if kind == "server_requests":
        return fields
    left = dict(fields)
    required = {"required": left.pop("required")} if "required" in left else {}
    rows = {"expect": left.pop("rows")} if "rows" in left else {}
    return {"state": {**rows, **left}, **required}


SERVER = Section(
    "server",
    "What the server saw and holds.",
    ServerBlock,
    ServerBlock.expectations,
    _as_block,
    of_turns=False,
)
