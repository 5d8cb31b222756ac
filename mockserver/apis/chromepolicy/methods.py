"""Methods of the Chrome Policy API: Discovery id to handler."""

from collections.abc import Mapping, Sequence
from functools import partial

from mockserver.apis.chromepolicy.changes import modify, remove
from mockserver.apis.chromepolicy.filters import is_schema_filter, matching_schemas, schema_test
from mockserver.apis.chromepolicy.priorities import list_ordering, update_ordering
from mockserver.apis.chromepolicy.public import public_schemas
from mockserver.apis.chromepolicy.state import (
    SCHEMAS,
    known_schemas,
    resolve,
    resolved_policy,
    schema_row,
)
from mockserver.apis.chromepolicy.targets import find_target, read_target
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    bad_fields,
    forgives,
    nearest,
    not_found,
    own_customer,
    page,
)
from mockserver.googleapi.profiles import COMMAS, UNKNOWN_SCHEMA
from mockserver.model import JsonObject
from mockserver.state import Table

_PAGES = PageRule(default=100, maximum=1000)


def _list_schemas(call: Call) -> JsonObject:
    own_customer(call.world, call.params["parent"])
    schemas: Sequence[JsonObject] = call.world.table(SCHEMAS).derived(_by_name)
    text = call.params.get("filter", "")
    if text:
        test = schema_test(text)
        schemas = [schema for schema in schemas if test(schema)]
    found, token = page(call, schemas, _PAGES)
    return _answer("policySchemas", list(found), token)


def _by_name(table: Table) -> tuple[JsonObject, ...]:
    return tuple(schema for _, schema in sorted(table.rows().items()))


def _get_schema(call: Call) -> JsonObject:
    customer, _, name = call.params["name"].partition("/policySchemas/")
    own_customer(call.world, customer)
    schema = schema_row(call.world, name)
    if schema is None:
        raise not_found(asked=name, nearest=nearest(name, call.world.table(SCHEMAS).rows()))
    return schema


def _resolve(call: Call) -> JsonObject:
    own_customer(call.world, call.params["customer"])
    target = read_target(call.body.get("policyTargetKey"), "policy_target_key")
    schemas = _asked_schemas(call)
    find_target(call.world, target)
    found, token = page(call, resolve(call.world, target, schemas), _PAGES)
    return _answer("resolvedPolicies", [resolved_policy(target, item) for item in found], token)


def _asked_schemas(call: Call) -> Sequence[str]:
    """The schemas that `policySchemaFilter` means.

    The lenient profile takes several filters joined by commas, as some agents send them.

    Raises:
        ApiError: 400 when it is not a filter, 404 for a full name that neither the session holds
            nor the public list; of one of that list nothing is set. Neither text is verified
            against the live API.
    """
    text = call.body.get("policySchemaFilter", "")
    parts = [text]
    if "," in text and forgives(call, COMMAS):
        parts = [part.strip() for part in text.split(",") if part.strip()]
    known = known_schemas(call.world)
    names: list[str] = []
    for part in parts:
        if not is_schema_filter(part):
            text = f"Invalid policy schema filter '{part}'."
            raise bad_fields([("policy_schema_filter", text)])
        found = matching_schemas(part, known)
        unknown = not found and "*" not in part and part not in public_schemas()
        if unknown and not forgives(call, UNKNOWN_SCHEMA):
            raise not_found(asked=part, nearest=nearest(part, (*known, *public_schemas())))
        names += found
    return tuple(dict.fromkeys(names))


def _answer(name: str, items: list[JsonObject], token: str) -> JsonObject:
    answer: JsonObject = {name: items} if items else {}
    if token:
        answer["nextPageToken"] = token
    return answer


_POLICIES = "chromepolicy.customers.policies"

HANDLERS: Mapping[str, Handler] = {
    "chromepolicy.customers.policySchemas.list": _list_schemas,
    "chromepolicy.customers.policySchemas.get": _get_schema,
    f"{_POLICIES}.resolve": _resolve,
    f"{_POLICIES}.orgunits.batchModify": partial(modify, kind="orgunits"),
    f"{_POLICIES}.orgunits.batchInherit": partial(remove, kind="orgunits"),
    f"{_POLICIES}.groups.batchModify": partial(modify, kind="groups"),
    f"{_POLICIES}.groups.batchDelete": partial(remove, kind="groups"),
    f"{_POLICIES}.groups.listGroupPriorityOrdering": list_ordering,
    f"{_POLICIES}.groups.updateGroupPriorityOrdering": update_ordering,
}
