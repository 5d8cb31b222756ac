"""Methods of the Chrome Policy API: schemas, resolved policies, and batches of changes.

A batch is checked as a whole, then applied as a whole.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from mockserver.apis.chromepolicy import POLICIES, SCHEMAS
from mockserver.apis.chromepolicy.schemas import (
    Violation,
    additional_keys,
    allows_target,
    is_schema_filter,
    matching_schemas,
    namespace,
    public_keys,
    public_schema,
    public_schemas,
    root_namespace,
    schema_test,
)
from mockserver.apis.chromepolicy.state import (
    KINDS,
    ExplicitValues,
    Target,
    check_target,
    known_schemas,
    list_ordering,
    read_target,
    remove_value,
    resolve,
    resolved_policy,
    schema_row,
    set_value,
    update_ordering,
    value_after_request,
)
from mockserver.collections import BY_KEY
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    bad_fields,
    forgives,
    list_page,
    nearest,
    not_found,
    own_customer,
    require_row,
)
from mockserver.googleapi.profiles import SEVERAL_SCHEMA_FILTERS, UNKNOWN_SCHEMA
from mockserver.model import JsonObject


@dataclass(frozen=True)
class BatchRequest:
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
Plan = Callable[[Call, BatchRequest], Sequence[Write]]


def modify_policies(call: Call, kind: str) -> JsonObject:
    """Set values at targets of one kind; all of them, or none.

    Raises:
        ApiError: 400 with every violation, 403 or 404.
    """
    return _apply_batch(call, kind, _plan_modify)


def remove_policies(call: Call, kind: str) -> JsonObject:
    """Remove values from targets of one kind; all of them, or none.

    Raises:
        ApiError: 400 with every violation, 403 or 404.
    """
    return _apply_batch(call, kind, _plan_remove)


def _apply_batch(call: Call, kind: str, plan: Plan) -> JsonObject:
    own_customer(call.world, call.params["customer"])
    changes = [
        _read_request(number, item) for number, item in enumerate(call.body.get("requests", ()))
    ]
    found = [
        *_batch_violations(changes),
        *(item for each in changes for item in _request_violations(each, kind)),
    ]
    if found:
        raise bad_fields(found)
    for change in changes:
        check_target(call.world, change.target)
        _check_schema(call, change)
    writes = [write for change in changes for write in plan(call, change)]
    for write in writes:
        write()
    return {}


def _read_request(number: int, request: JsonObject) -> BatchRequest:
    place = f"requests[{number}]"
    target = read_target(request.get("policyTargetKey"), f"{place}.policy_target_key")
    schema = request.get("policySchema") or request.get("policyValue", {}).get("policySchema", "")
    return BatchRequest(place, target, schema, request)


def _batch_violations(changes: Sequence[BatchRequest]) -> list[Violation]:
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
        if _key_names(change.target) != _key_names(first.target):
            text = "All targets must have the same key names in additional_target_keys."
            found.append((f"{change.place}.policy_target_key.additional_target_keys", text))
        if (change.target, change.schema) in seen:
            text = "Two requests reference the same policy_schema and policy_target_key."
            found.append((change.place, text))
        seen.add((change.target, change.schema))
    return found


def _key_names(target: Target) -> list[str]:
    return [name for name, _ in target.keys]


def _request_violations(change: BatchRequest, kind: str) -> list[Violation]:
    found = []
    if not change.schema:
        found.append((f"{change.place}.policy_schema", "The policy schema is required."))
    if change.target.kind != kind:
        text = f"Target resource '{change.target.resource}' must be of type '{kind}'."
        found.append((f"{change.place}.policy_target_key.target_resource", text))
    return found


def _check_schema(call: Call, change: BatchRequest) -> None:
    """Hold a request against its policy schema.

    Raises:
        ApiError: 404 when neither the session nor the public list has such a schema, 400 when the
            target does not fit it.
    """
    row = schema_row(call.world, change.schema)
    if row is None and change.schema not in public_schemas():
        if "*" not in change.schema and change.schema not in known_schemas(call.world):
            near = nearest(change.schema, (*known_schemas(call.world), *public_schemas()))
            raise not_found(name=change.schema, nearest=near)
        return
    field = f"{change.place}.policy_target_key"
    if row is not None and not allows_target(row, KINDS[change.target.kind]):
        text = f"Policy '{change.schema}' cannot be set on '{change.target.kind}'."
        raise bad_fields([(f"{field}.target_resource", text)])
    keys = public_keys(change.schema) if row is None else additional_keys(row)
    if sorted(keys) != _key_names(change.target):
        wanted = ", ".join(keys) or "none"
        text = f"Policy '{change.schema}' takes these additional target keys: {wanted}."
        raise bad_fields([(f"{field}.additional_target_keys", text)])


def _plan_modify(call: Call, change: BatchRequest) -> Sequence[Write]:
    current: Mapping[str, object] = {}
    for found in resolve(call.world, change.target, [change.schema]):
        if found.keys == change.target.keys:
            current = found.value
    row = schema_row(call.world, change.schema)
    if row is None:
        row = public_schema(change.schema, current)
    value = value_after_request(call, change.place, change.request, row, current)
    return [partial(set_value, call.world, change.target, change.schema, value)]


def _plan_remove(call: Call, change: BatchRequest) -> Sequence[Write]:
    if "*" not in change.schema:
        return [partial(remove_value, call.world, change.target, change.schema)]
    space = namespace(change.schema)
    target = change.target
    values = ExplicitValues(call.world.table(POLICIES))
    having = values.schemas_with_keys(target.resource, target.keys)
    names = [name for name in having if namespace(name) == space]
    if not change.schema.endswith(".*") or not change.target.keys or not names:
        text = f"'{change.schema}' names no app that was added at '{change.target.resource}'."
        raise bad_fields([(f"{change.place}.policy_schema", text)])
    return [partial(remove_value, call.world, change.target, name) for name in names]


_PAGES = PageRule(default=100, maximum=1000)


def _list_schemas(call: Call) -> JsonObject:
    own_customer(call.world, call.params["parent"])
    schemas: Sequence[JsonObject] = call.world.table(SCHEMAS).ordered(BY_KEY)
    text = call.params.get("filter", "")
    if text:
        test = schema_test(text)
        schemas = [schema for schema in schemas if test(schema)]
    return list_page(call, "policySchemas", schemas, _PAGES)


def _get_schema(call: Call) -> JsonObject:
    customer, _, name = call.params["name"].partition("/policySchemas/")
    own_customer(call.world, customer)
    return require_row(call.world, SCHEMAS, name)


def _resolve(call: Call) -> JsonObject:
    own_customer(call.world, call.params["customer"])
    target = read_target(call.body.get("policyTargetKey"), "policy_target_key")
    schemas = _schemas_to_resolve(call)
    check_target(call.world, target)
    found = resolve(call.world, target, schemas)
    return list_page(call, "resolvedPolicies", found, _PAGES, partial(resolved_policy, target))


def _schemas_to_resolve(call: Call) -> Sequence[str]:
    """The schemas that `policySchemaFilter` means.

    The lenient profile takes several filters joined by commas, as some agents send them.

    Raises:
        ApiError: 400 when it is not a filter, 404 for a full name that neither the session holds
            nor the public list; of one of that list nothing is set. Neither text is verified
            against the live API.
    """
    text = call.body.get("policySchemaFilter", "")
    parts = [text]
    if "," in text and forgives(call, SEVERAL_SCHEMA_FILTERS):
        parts = [part.strip() for part in text.split(",") if part.strip()]
    known = known_schemas(call.world)
    names: list[str] = []
    for part in parts:
        if not is_schema_filter(part):
            raise bad_fields([("policy_schema_filter", f"Invalid policy schema filter '{part}'.")])
        found = matching_schemas(part, known)
        unknown = not found and "*" not in part and part not in public_schemas()
        if unknown and not forgives(call, UNKNOWN_SCHEMA):
            raise not_found(name=part, nearest=nearest(part, (*known, *public_schemas())))
        names += found
    return tuple(dict.fromkeys(names))


_POLICIES = "chromepolicy.customers.policies"

HANDLERS: Mapping[str, Handler] = {
    "chromepolicy.customers.policySchemas.list": _list_schemas,
    "chromepolicy.customers.policySchemas.get": _get_schema,
    f"{_POLICIES}.resolve": _resolve,
    f"{_POLICIES}.orgunits.batchModify": partial(modify_policies, kind="orgunits"),
    f"{_POLICIES}.orgunits.batchInherit": partial(remove_policies, kind="orgunits"),
    f"{_POLICIES}.groups.batchModify": partial(modify_policies, kind="groups"),
    f"{_POLICIES}.groups.batchDelete": partial(remove_policies, kind="groups"),
    f"{_POLICIES}.groups.listGroupPriorityOrdering": list_ordering,
    f"{_POLICIES}.groups.updateGroupPriorityOrdering": update_ordering,
}
