"""Policy schemas and explicit policy values, as a snapshot holds them."""

from mockserver.apis.chromepolicy import CONNECTORS, POLICIES, SCHEMAS
from mockserver.apis.chromepolicy.state import CUSTOMERS, KINDS, Keys, value_key, value_row
from mockserver.errors import Problem
from mockserver.googleapi import SnapshotImport, bare_org_unit, each_object, text_at
from mockserver.googleapi.raw_snapshot import Rows
from mockserver.model import AnsweredCall, Capture, Captures, Json, JsonObject


def explicit_value_of(policy: JsonObject, _: AnsweredCall) -> JsonObject | None:
    """The explicit value that a resolved policy comes from; None for the customer's default.

    >>> target = {"targetResource": "orgunits/03ph2"}
    >>> source = {"targetResource": "orgunits/03ph1"}
    >>> asked = AnsweredCall("chromepolicy.customers.policies.resolve", {}, {}, {})
    >>> explicit_value_of({"targetKey": target, "sourceKey": source, "value": {}}, asked)
    {'policyTargetKey': {'targetResource': 'orgunits/03ph1'}, 'value': {}}
    """
    source = policy.get("sourceKey")
    if not isinstance(source, dict):
        return None
    target = policy.get("targetKey") or {}
    extra = source.get("additionalTargetKeys") or target.get("additionalTargetKeys")
    key = {**source, **({"additionalTargetKeys": extra} if extra else {})}
    return {"policyTargetKey": key, "value": policy.get("value", {})}


CAPTURES: Captures = {
    "chromepolicy.customers.policySchemas.list": (
        Capture("policySchemas", "policySchemas", ("schemaName",)),
    ),
    "chromepolicy.customers.policySchemas.get": (Capture("policySchemas", "", ("schemaName",)),),
    "chromepolicy.customers.policies.resolve": (
        Capture(
            "policies",
            "resolvedPolicies",
            ("policyTargetKey", "value.policySchema"),
            reshape=explicit_value_of,
        ),
    ),
}
"""Discovery id to what its answers fill."""


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables of policy schemas and of explicit values."""
    schemas: Rows = {}
    for pointer, raw in each_object(found, SCHEMAS):
        _add_schema(found, schemas, pointer, raw)
    values: Rows = {}
    for pointer, raw in each_object(found, POLICIES):
        _add_value(found, values, pointer, raw, "policyTargetKey")
    for pointer, raw in each_object(found, CONNECTORS):
        _add_connector(found, values, pointer, raw)
    found.tables[SCHEMAS] = schemas
    found.tables[POLICIES] = values


def _add_schema(found: SnapshotImport, rows: Rows, pointer: str, raw: JsonObject) -> None:
    name = raw.get("schemaName") or str(raw.get("name", "")).rpartition("/")[2]
    if not name or not isinstance(name, str):
        found.problems.append(Problem(pointer, "a policy schema needs a 'schemaName'"))
        return
    full = f"customers/{found.customer}/policySchemas/{name}"
    if raw.get("name") != full:
        found.changes.append((f"{pointer}/name", f"the name of the schema becomes {full}"))
    if name in rows:
        found.problems.append(Problem(pointer, f"policy schema {name!r} is there twice"))
    rows[name] = {**raw, "name": full, "schemaName": name}


def _add_connector(found: SnapshotImport, rows: Rows, pointer: str, raw: JsonObject) -> None:
    source = "sourceKey" if raw.get("sourceKey") else "targetKey"
    if _add_value(found, rows, pointer, raw, source):
        text = f"the resolved policy becomes an explicit value at its {source}"
        found.changes.append((pointer, text))


def _add_value(found: SnapshotImport, rows: Rows, pointer: str, raw: JsonObject, key: str) -> bool:
    target = raw.get(key)
    value = raw.get("value")
    if not isinstance(target, dict) or not isinstance(value, dict):
        missing = key if not isinstance(target, dict) else "value"
        found.problems.append(Problem(f"{pointer}/{missing}", f"expected an object {missing!r}"))
        return False
    resource = _resource_name(found, f"{pointer}/{key}", target)
    schema = text_at(found, f"{pointer}/value", value, "policySchema")
    content = value.get("value", {})
    if not isinstance(content, dict):
        found.problems.append(Problem(f"{pointer}/value/value", "expected an object of fields"))
        return False
    if resource is None or schema is None:
        return False
    keys = _keys(target.get("additionalTargetKeys"))
    rows[value_key(resource, schema, keys)] = value_row(resource, schema, keys, content)
    return True


def _resource_name(found: SnapshotImport, pointer: str, target: JsonObject) -> str | None:
    """`orgunits/03...` or `groups/...`, or None when the target names nothing of the kind.

    The live API does not know the customer as a target, but snapshots of a mis-targeted policy hold
    it: it stays as it is written and holds for every org unit that has nothing nearer.
    """
    given = text_at(found, pointer, target, "targetResource")
    if given is None:
        return None
    kind, _, name = given.partition("/")
    kind = "orgunits" if kind == "orgUnits" or given.startswith("id:") else kind
    if kind == CUSTOMERS and name:
        text = f"{given!r} is neither orgunits/... nor groups/..."
        hint = "it is served as it is written, for every org unit"
        found.problems.append(Problem(f"{pointer}/targetResource", text, hint, "warning"))
        return given
    if kind not in KINDS:
        text = f"{given!r} is neither orgunits/... nor groups/..."
        found.problems.append(Problem(f"{pointer}/targetResource", text))
        return None
    resource = f"orgunits/{bare_org_unit(given)}" if kind == "orgunits" else f"groups/{name}"
    if resource != given:
        found.changes.append((f"{pointer}/targetResource", f"{given} becomes {resource}"))
    return resource


def _keys(extra: Json) -> Keys:
    if not isinstance(extra, dict):
        return ()
    return tuple(sorted((str(name), str(value)) for name, value in extra.items()))
