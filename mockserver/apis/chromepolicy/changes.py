"""Batches that change policy values: checked as a whole, then applied as a whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from mockserver.apis.chromepolicy.masks import changed_value
from mockserver.apis.chromepolicy.public import public_keys, public_row, public_schemas
from mockserver.apis.chromepolicy.schemas import (
    Violation,
    additional_keys,
    allows,
    namespace,
    root_namespace,
)
from mockserver.apis.chromepolicy.state import (
    explicit,
    known_schemas,
    remove_value,
    resolve,
    schema_row,
    set_value,
)
from mockserver.apis.chromepolicy.targets import KINDS, Target, find_target, read_target
from mockserver.googleapi import Call, bad_fields, nearest, not_found, own_customer
from mockserver.model import JsonObject


@dataclass(frozen=True)
class Change:
    """One request of a batch.

    Attributes:
        place: `requests[0]`, for messages.
        target: What it applies to.
        schema: Name of the policy schema, for removals perhaps with a wildcard leaf.
        request: The request as sent.
    """

    place: str
    target: Target
    schema: str
    request: JsonObject


Write = Callable[[], None]
Plan = Callable[[Call, Change], Sequence[Write]]


def modify(call: Call, kind: str) -> JsonObject:
    """Set values at targets of one kind; all of them, or none.

    Raises:
        ApiError: 400 with every violation, 403 or 404.
    """
    return _apply(call, kind, _plan_modify)


def remove(call: Call, kind: str) -> JsonObject:
    """Take values of targets of one kind away; all of them, or none.

    Raises:
        ApiError: 400 with every violation, 403 or 404.
    """
    return _apply(call, kind, _plan_remove)


def _apply(call: Call, kind: str, plan: Plan) -> JsonObject:
    own_customer(call.world, call.params["customer"])
    changes = [_read(number, item) for number, item in enumerate(call.body.get("requests", ()))]
    found = [*_of_batch(changes), *(item for each in changes for item in _of_change(each, kind))]
    if found:
        raise bad_fields(found)
    for change in changes:
        find_target(call.world, change.target)
        _find_schema(call, change)
    writes = [write for change in changes for write in plan(call, change)]
    for write in writes:
        write()
    return {}


def _read(number: int, request: JsonObject) -> Change:
    place = f"requests[{number}]"
    target = read_target(request.get("policyTargetKey"), f"{place}.policy_target_key")
    schema = request.get("policySchema") or request.get("policyValue", {}).get("policySchema", "")
    return Change(place, target, schema, request)


def _of_batch(changes: Sequence[Change]) -> list[Violation]:
    """Rules that hold between the requests of one batch. Source: Discovery document."""
    if not changes:
        return [("requests", "The list of requests must not be empty.")]
    found = []
    first = changes[0]
    seen: set[tuple[Target, str]] = set()
    for change in changes:
        if root_namespace(change.schema) != root_namespace(first.schema):
            text = "All schemas in the list must have the same root namespace."
            found.append((f"{change.place}.policy_schema", text))
        if _names(change.target) != _names(first.target):
            text = "All targets must have the same key names in additional_target_keys."
            found.append((f"{change.place}.policy_target_key.additional_target_keys", text))
        if (change.target, change.schema) in seen:
            text = "Two requests reference the same policy_schema and policy_target_key."
            found.append((change.place, text))
        seen.add((change.target, change.schema))
    return found


def _names(target: Target) -> list[str]:
    return [name for name, _ in target.keys]


def _of_change(change: Change, kind: str) -> list[Violation]:
    found = []
    if not change.schema:
        found.append((f"{change.place}.policy_schema", "The policy schema is required."))
    if change.target.kind != kind:
        text = f"Target resource '{change.target.resource}' must be of type '{kind}'."
        found.append((f"{change.place}.policy_target_key.target_resource", text))
    return found


def _find_schema(call: Call, change: Change) -> None:
    """Hold a request against its policy schema.

    Raises:
        ApiError: 404 when neither the session nor the public list has such a schema, 400 when the
            target does not fit it.
    """
    row = schema_row(call.world, change.schema)
    if row is None and change.schema not in public_schemas():
        if "*" not in change.schema and change.schema not in known_schemas(call.world):
            near = nearest(change.schema, (*known_schemas(call.world), *public_schemas()))
            raise not_found(asked=change.schema, nearest=near)
        return
    field = f"{change.place}.policy_target_key"
    if row is not None and not allows(row, KINDS[change.target.kind]):
        text = f"Policy '{change.schema}' cannot be set on '{change.target.kind}'."
        raise bad_fields([(f"{field}.target_resource", text)])
    keys = public_keys(change.schema) if row is None else additional_keys(row)
    if sorted(keys) != _names(change.target):
        wanted = ", ".join(keys) or "none"
        text = f"Policy '{change.schema}' takes these additional target keys: {wanted}."
        raise bad_fields([(f"{field}.additional_target_keys", text)])


def _plan_modify(call: Call, change: Change) -> Sequence[Write]:
    current: Mapping[str, object] = {}
    for found in resolve(call.world, change.target, [change.schema]):
        if found.keys == change.target.keys:
            current = found.value
    row = schema_row(call.world, change.schema)
    if row is None:
        row = public_row(change.schema, current)
    value = changed_value(call, change.place, change.request, row, current)
    return [partial(set_value, call.world, change.target, change.schema, value)]


def _plan_remove(call: Call, change: Change) -> Sequence[Write]:
    here = explicit(call.world).get(change.target.resource, {})
    if "*" not in change.schema:
        return [partial(remove_value, call.world, change.target, change.schema)]
    space = namespace(change.schema)
    names = [name for name in here if namespace(name) == space and change.target.keys in here[name]]
    if not change.schema.endswith(".*") or not change.target.keys or not names:
        text = f"'{change.schema}' names no app that was added at '{change.target.resource}'."
        raise bad_fields([(f"{change.place}.policy_schema", text)])
    return [partial(remove_value, call.world, change.target, name) for name in names]
