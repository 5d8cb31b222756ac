"""What the agent changed on the server, as single changes and as a JSON Patch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from harness.checks.globs import is_named
from harness.checks.subsets import is_subset
from harness.model import ChangeEvent, ExpectedRow, JsonObject, TrialRecord

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
        return f"/{_escaped(self.collection)}/{_escaped(self.key)}"

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
        return [_moved(operation, self.place) for operation in own]


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


def means(glob: str, collection: str) -> bool:
    """Whether a glob names a collection; a pattern does not speak of bookkeeping."""
    if collection == BOOKKEEPING:
        return glob == collection
    return is_named(collection, glob)


def is_event(event: ChangeEvent, change: Change) -> bool:
    """Whether a change is the one that is described, whole or in some of its fields."""
    return (
        means(event.collection, change.collection)
        and (not event.kinds or change.kind in event.kinds)
        and change.holds(event.where)
        and (not event.fields or any(_below(event, change, each) for each in change.patch()))
    )


def collateral(
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


def _moved(operation: JsonObject, place: str) -> JsonObject:
    return {
        key: f"{place}{value}" if key in {"path", "from"} else value
        for key, value in operation.items()
    }


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
