"""Explicit policy values, and what holds for a target once they are inherited."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mockserver.apis.chromepolicy.schemas import additional_keys, allows, defaults, namespace
from mockserver.apis.chromepolicy.targets import KINDS, Keys, Target, key_of
from mockserver.model import JsonObject
from mockserver.state import Table, World, org_tree

SCHEMAS = "policySchemas"
POLICIES = "policies"
PRIORITIES = "groupPriorities"
CUSTOMERS = "customers"
"""What a target begins with that the live API does not know: the whole customer."""

_ADDED = (".apps", ".networks")
_NO_KEYS: Keys = ()

Explicit = Mapping[str, Mapping[str, Mapping[Keys, JsonObject]]]
"""Target resource to schema name to additional keys to value."""


def row_key(resource: str, schema: str, keys: Keys) -> str:
    """The key of an explicit value in its table.

    >>> row_key("orgunits/03ph1", "chrome.users.apps.InstallType", (("app_id", "chrome:a"),))
    'orgunits/03ph1|chrome.users.apps.InstallType|app_id=chrome:a'
    """
    return f"{resource}|{schema}|" + ",".join(f"{name}={value}" for name, value in keys)


def row_of(resource: str, schema: str, keys: Keys, value: JsonObject) -> JsonObject:
    """An explicit value as its table holds it."""
    return {
        "policyTargetKey": key_of(resource, keys),
        "value": {"policySchema": schema, "value": value},
    }


def explicit(world: World) -> Explicit:
    """All explicit values of the session, indexed."""
    return world.table(POLICIES).derived(_index)


def _index(table: Table) -> Explicit:
    index: dict[str, dict[str, dict[Keys, JsonObject]]] = {}
    for row in table.rows().values():
        target = row["policyTargetKey"]
        keys = tuple(sorted(target.get("additionalTargetKeys", {}).items()))
        value = row["value"]
        by_schema = index.setdefault(target["targetResource"], {})
        by_schema.setdefault(value["policySchema"], {})[keys] = value["value"]
    return index


def schema_row(world: World, name: str) -> JsonObject | None:
    """A policy schema, or None when the session does not hold it."""
    return world.table(SCHEMAS).get(name)


def known_schemas(world: World) -> tuple[str, ...]:
    """Names of the schemas that the session holds, or holds values of; sorted."""
    described = world.table(SCHEMAS).derived(_sorted_names)
    used = world.table(POLICIES).derived(_used_names)
    return described if used <= set(described) else tuple(sorted({*described, *used}))


def _sorted_names(table: Table) -> tuple[str, ...]:
    return tuple(sorted(table.rows()))


def _used_names(table: Table) -> frozenset[str]:
    return frozenset(row["value"]["policySchema"] for row in table.rows().values())


@dataclass(frozen=True)
class Resolved:
    """What holds for a target.

    Attributes:
        schema: Name of the policy schema.
        keys: Additional target keys.
        value: The value.
        source: Target resource that it comes from; empty for the customer's default.
        added: Where the app or network was added for management; empty for other policies.
    """

    schema: str
    keys: Keys
    value: JsonObject
    source: str = ""
    added: str = ""


def resolve(world: World, target: Target, schemas: Iterable[str]) -> tuple[Resolved, ...]:
    """What holds for a target, by schema name and additional keys.

    For an org unit the nearest explicit value on the way up to the root holds, then one of the
    customer, else the schema's defaults; a group has only its explicit values.
    """
    values = explicit(world)
    if target.kind == "orgunits":
        sources = [f"orgunits/{unit}" for unit in org_tree(world).ancestors(target.id)]
        sources += [source for source in values if source.startswith(f"{CUSTOMERS}/")]
    else:
        sources = [target.resource]
    found = _Resolution(values, sources)
    return tuple(
        item
        for name in schemas
        for item in found.of_schema(name, schema_row(world, name), target)
        if set(target.keys) <= set(item.keys)
    )


class _Resolution:
    """Looks values up along one way to the root."""

    def __init__(self, values: Explicit, sources: list[str]) -> None:
        self._values = values
        self._sources = sources

    def of_schema(self, name: str, schema: JsonObject | None, target: Target) -> Iterator[Resolved]:
        schema = schema or {}
        if not allows(schema, KINDS[target.kind]):
            return
        nearest: dict[Keys, Resolved] = {}
        for source in self._sources:
            for keys, value in self._values.get(source, {}).get(name, {}).items():
                if keys not in nearest:
                    nearest[keys] = Resolved(name, keys, value, source, self._added(name, keys))
        if not nearest and target.kind == "orgunits" and not additional_keys(schema):
            default = defaults(schema)
            if default:
                nearest[_NO_KEYS] = Resolved(name, _NO_KEYS, default)
        for keys in sorted(nearest):
            yield nearest[keys]

    def _added(self, name: str, keys: Keys) -> str:
        """The highest place on the way that has a value for the same app or network."""
        space = namespace(name)
        if not keys or not space.endswith(_ADDED):
            return ""
        for source in reversed(self._sources):
            for other, by_keys in self._values.get(source, {}).items():
                if namespace(other) == space and keys in by_keys:
                    return source
        return ""


def resolved_policy(target: Target, found: Resolved) -> JsonObject:
    """A `ResolvedPolicy` as the API writes it."""
    policy: JsonObject = {
        "targetKey": key_of(target.resource, found.keys),
        "value": {"policySchema": found.schema, "value": found.value},
    }
    if found.source:
        policy["sourceKey"] = key_of(found.source, found.keys)
    if found.added:
        policy["addedSourceKey"] = key_of(found.added, found.keys)
    return policy


def set_value(world: World, target: Target, schema: str, value: JsonObject) -> None:
    """Make a value explicit at a target."""
    row = row_of(target.resource, schema, target.keys, value)
    world.put(POLICIES, row_key(target.resource, schema, target.keys), row)


def remove_value(world: World, target: Target, schema: str) -> None:
    """Take an explicit value away; where there is none, nothing changes."""
    key = row_key(target.resource, schema, target.keys)
    if key in world.table(POLICIES):
        world.delete(POLICIES, key)
