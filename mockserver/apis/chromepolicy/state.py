"""Policy values: what each applies to, their precedence, and what a change replaces."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from mockserver.apis.chromepolicy import POLICIES, SCHEMAS
from mockserver.apis.chromepolicy.schemas import (
    Violation,
    additional_keys,
    allows_target,
    default_values,
    namespace,
    schema_fields,
    value_violations,
)
from mockserver.collections import LAST, Index, Store, text_range
from mockserver.googleapi import Call, bad_fields, nearest, not_found, own_customer
from mockserver.model import JsonObject
from mockserver.state import World, org_tree

Keys = tuple[tuple[str, str], ...]
"""Additional target keys, sorted by name."""

KINDS: Mapping[str, str] = {"orgunits": "ORG_UNIT", "groups": "GROUP"}
"""First part of a target resource to what a schema calls that kind of target."""


@dataclass(frozen=True)
class Target:
    """A target of policy values.

    Attributes:
        kind: `orgunits` or `groups`.
        id: The bare id.
        keys: The additional target keys.
    """

    kind: str
    id: str
    keys: Keys = ()

    @property
    def resource(self) -> str:
        """`orgunits/03...` or `groups/...`."""
        return f"{self.kind}/{self.id}"


def target_key(resource: str, keys: Keys = ()) -> JsonObject:
    """A `PolicyTargetKey` as the API writes it."""
    if not keys:
        return {"targetResource": resource}
    return {"targetResource": resource, "additionalTargetKeys": dict(keys)}


def read_target(key: JsonObject | None, field: str) -> Target:
    """The target that a `PolicyTargetKey` names, whether or not there is such a thing.

    Raises:
        ApiError: 400; there is no target resource, or it is neither an org unit nor a group.
    """
    resource = (key or {}).get("targetResource", "")
    kind, _, name = resource.partition("/")
    if not resource:
        raise bad_fields([(f"{field}.target_resource", "The target resource is required.")])
    if kind not in KINDS or not name or "/" in name:
        text = f"Target resource '{resource}' must be of type 'orgunits' or 'groups'."
        raise bad_fields([(f"{field}.target_resource", text)])
    extra = (key or {}).get("additionalTargetKeys") or {}
    return Target(kind, name, tuple(sorted((name, str(value)) for name, value in extra.items())))


def check_target(world: World, target: Target) -> None:
    """Make sure that a target is there.

    Raises:
        ApiError: 404; the session has no such org unit or group.
    """
    is_unit = target.kind == "orgunits"
    known = org_tree(world).units if is_unit else world.table("groups")
    if target.id not in known:
        near = nearest(target.id, known)
        raise not_found(name=target.resource, nearest=near and f"{target.kind}/{near}")


PRIORITIES = "groupPriorities"
CUSTOMERS = "customers"
"""What a target begins with that the live API does not know: the whole customer."""

_NAMESPACES_WITH_KEYS = (".apps", ".networks")
_NO_KEYS: Keys = ()


def value_key(resource: str, schema: str, keys: Keys) -> str:
    """The key of an explicit value in its table.

    >>> value_key("orgunits/03ph1", "chrome.users.apps.InstallType", (("app_id", "chrome:a"),))
    'orgunits/03ph1|chrome.users.apps.InstallType|app_id=chrome:a'
    """
    return f"{resource}|{schema}|" + ",".join(f"{name}={value}" for name, value in keys)


def value_row(resource: str, schema: str, keys: Keys, value: JsonObject) -> JsonObject:
    """An explicit value as its table holds it."""
    return {
        "policyTargetKey": target_key(resource, keys),
        "value": {"policySchema": schema, "value": value},
    }


def _place(row: JsonObject) -> tuple[str, str, Keys]:
    """What an explicit value is of: target resource, schema name and additional keys."""
    target = row["policyTargetKey"]
    keys = tuple(sorted(target.get("additionalTargetKeys", {}).items()))
    return target["targetResource"], row["value"]["policySchema"], keys


def _place_by_keys(row: JsonObject) -> tuple[str, Keys, str]:
    target, schema, keys = _place(row)
    return target, keys, schema


_BY_PLACE = Index(lambda _, row: (_place(row),))
_BY_APP = Index(lambda _, row: (_place_by_keys(row),))
_BY_KEYS = Index(lambda _, row: (_place(row)[2],))
_BY_SCHEMA = Index(lambda _, row: (_place(row)[1],))


@dataclass(frozen=True, slots=True)
class ExplicitValues:
    """All explicit values of a session.

    Attributes:
        table: Their rows.
    """

    table: Store

    def of_schema(self, target: str, schema: str) -> dict[Keys, JsonObject]:
        """Additional keys to the value of a schema at a target resource."""
        found = self.table.between(_BY_PLACE, (target, schema), (target, schema, LAST))
        return {_place(row)[2]: row["value"]["value"] for row in found}

    def schemas_with_keys(self, target: str, keys: Keys) -> list[str]:
        """The schemas that have values for additional keys at a target, as they were put."""
        found = self.table.between(_BY_APP, (target, keys), (target, keys, LAST)).entries()
        return [entry[0][2] for entry in sorted(found, key=itemgetter(1))]

    def customers(self) -> list[str]:
        """The targets that are a whole customer, as they were put."""
        low, high = text_range(f"{CUSTOMERS}/")
        found = self.table.between(_BY_PLACE, (low,), (high,)).entries()
        return list(dict.fromkeys(entry[0][0] for entry in sorted(found, key=itemgetter(1))))


def schema_row(world: World, name: str) -> JsonObject | None:
    """A policy schema, or None when the session does not hold it."""
    return world.table(SCHEMAS).get(name)


def known_schemas(world: World) -> tuple[str, ...]:
    """Names of the schemas that the session holds, or holds values of; sorted."""
    described = world.table(SCHEMAS).rows()
    return tuple(sorted({*described, *world.table(POLICIES).values(_BY_SCHEMA)}))


@dataclass(frozen=True)
class ResolvedValue:
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


def resolve(world: World, target: Target, schemas: Iterable[str]) -> tuple[ResolvedValue, ...]:
    """What holds for a target, by schema name and additional keys.

    For an org unit the nearest explicit value on the way up to the root holds, then one of the
    customer, else the schema's defaults; a group has only its explicit values.
    """
    values = ExplicitValues(world.table(POLICIES))
    if target.kind == "orgunits":
        sources = [f"orgunits/{unit}" for unit in org_tree(world).ancestors(target.id)]
        sources += values.customers()
    else:
        sources = [target.resource]
    found = _ValueLookup(values, sources)
    return tuple(
        item
        for name in schemas
        for item in found.values_of_schema(name, schema_row(world, name), target)
        if set(target.keys) <= set(item.keys)
    )


class _ValueLookup:
    """Looks values up along one way to the root."""

    def __init__(self, values: ExplicitValues, sources: list[str]) -> None:
        self._values = values
        self._sources = sources

    def values_of_schema(
        self, name: str, schema: JsonObject | None, target: Target
    ) -> Iterator[ResolvedValue]:
        schema = schema or {}
        if not allows_target(schema, KINDS[target.kind]):
            return
        names: dict[Keys, ResolvedValue] = {}
        for source in self._sources:
            for keys, value in self._values.of_schema(source, name).items():
                if keys not in names:
                    names[keys] = ResolvedValue(
                        name, keys, value, source, self._added_source(name, keys)
                    )
        if not names and target.kind == "orgunits" and not additional_keys(schema):
            default = default_values(schema)
            if default:
                names[_NO_KEYS] = ResolvedValue(name, _NO_KEYS, default)
        for keys in sorted(names):
            yield names[keys]

    def _added_source(self, name: str, keys: Keys) -> str:
        """The highest place on the way that has a value for the same app or network."""
        space = namespace(name)
        if not keys or not space.endswith(_NAMESPACES_WITH_KEYS):
            return ""
        for source in reversed(self._sources):
            others = self._values.schemas_with_keys(source, keys)
            if any(namespace(other) == space for other in others):
                return source
        return ""


def resolved_policy(target: Target, found: ResolvedValue) -> JsonObject:
    """A `ResolvedPolicy` as the API writes it."""
    policy: JsonObject = {
        "targetKey": target_key(target.resource, found.keys),
        "value": {"policySchema": found.schema, "value": found.value},
    }
    if found.source:
        policy["sourceKey"] = target_key(found.source, found.keys)
    if found.added:
        policy["addedSourceKey"] = target_key(found.added, found.keys)
    return policy


def set_value(world: World, target: Target, schema: str, value: JsonObject) -> None:
    """Make a value explicit at a target."""
    row = value_row(target.resource, schema, target.keys, value)
    world.put(POLICIES, value_key(target.resource, schema, target.keys), row)


def remove_value(world: World, target: Target, schema: str) -> None:
    """Remove an explicit value; where there is none, nothing changes."""
    key = value_key(target.resource, schema, target.keys)
    if key in world.table(POLICIES):
        world.delete(POLICIES, key)


def list_ordering(call: Call) -> JsonObject:
    """Answers `groups.listGroupPriorityOrdering`; without an order set, the order of the values.

    Raises:
        ApiError: 400; no app, or no schema or namespace.
    """
    own_customer(call.world, call.params["customer"])
    keys, about = _ordering_subject(call)
    echoed = {
        name: call.body[name]
        for name in ("policyTargetKey", "policyNamespace", "policySchema")
        if call.body.get(name)
    }
    return {**echoed, "groupIds": _ordered_groups(call.world, keys, about)}


def update_ordering(call: Call) -> JsonObject:
    """Answers `groups.updateGroupPriorityOrdering`.

    Raises:
        ApiError: 400; no app, no schema or namespace, or not exactly the groups that have values.
    """
    own_customer(call.world, call.params["customer"])
    keys, about = _ordering_subject(call)
    wanted = call.body.get("groupIds") or []
    if sorted(wanted) != sorted(_ordered_groups(call.world, keys, about)):
        text = "The list must have every group with a value for this app exactly once."
        raise bad_fields([("group_ids", text)])
    call.world.put(PRIORITIES, _ordering_key(keys, about), {"groupIds": list(wanted)})
    return {}


def _ordering_subject(call: Call) -> tuple[Keys, str]:
    extra = call.body.get("policyTargetKey", {}).get("additionalTargetKeys") or {}
    about = call.body.get("policySchema") or call.body.get("policyNamespace") or ""
    if not extra:
        text = "The target app is required."
        raise bad_fields([("policy_target_key.additional_target_keys", text)])
    if not about:
        raise bad_fields([("policy_namespace", "A policy namespace or schema is required.")])
    return tuple(sorted(extra.items())), about


def _ordering_key(keys: Keys, about: str) -> str:
    return f"{about}|" + ",".join(f"{name}={value}" for name, value in keys)


def _ordered_groups(world: World, keys: Keys, about: str) -> list[str]:
    stored = world.table(PRIORITIES).get(_ordering_key(keys, about)) or {}
    order = stored.get("groupIds", [])
    have = []
    for target, schema, _ in map(_place, world.table(POLICIES).find(_BY_KEYS, keys)):
        kind, _, group = target.partition("/")
        if kind == "groups" and about in {schema, namespace(schema)} and group not in have:
            have.append(group)
    kept = [group for group in order if group in have]
    return [*kept, *(group for group in have if group not in kept)]


_UNDERSCORE = re.compile(r"_([a-z0-9])")


def mask_paths(mask: str, value: Mapping[str, Any]) -> list[str]:
    """The paths of a field mask in lowerCamel; `*` is every field of the value.

    >>> mask_paths("max_connections, urls.blocked_list", {})
    ['maxConnections', 'urls.blockedList']
    """
    names = [item.strip() for item in mask.split(",") if item.strip()]
    if names == ["*"]:
        return list(value)
    return [_UNDERSCORE.sub(lambda match: match.group(1).upper(), name) for name in names]


def value_after_request(
    call: Call,
    place: str,
    request: JsonObject,
    schema: JsonObject | None,
    current: Mapping[str, Any],
) -> JsonObject:
    """The value that a modification leaves at its target.

    It starts from the value that holds now, explicit or inherited, and replaces the fields of the
    mask. Source: Chrome Policy reference; what happens to fields outside the mask that were never
    set at the target is not verified against the live API.

    Raises:
        ApiError: 400 with every violation of the mask and of the schema's definition.
    """
    given = _lower_camel(request.get("policyValue", {}).get("value") or {})
    paths = mask_paths(request.get("updateMask", ""), given)
    found = [
        *_mask_violations(place, paths, given, schema),
        *_value_violations(place, paths, given, schema),
    ]
    if found:
        raise bad_fields(found)
    value: JsonObject = {**(default_values(schema) if schema else {}), **current}
    for path in paths:
        _put_at(value, path.split("."), _value_at(given, path))
    masked = {path.partition(".")[0] for path in paths}
    call.ignored += [f"{place}.policyValue.value.{name}" for name in given if name not in masked]
    return value


def _lower_camel(value: Mapping[str, Any]) -> JsonObject:
    return {
        _UNDERSCORE.sub(lambda match: match.group(1).upper(), name): item
        for name, item in value.items()
    }


def _mask_violations(
    place: str, paths: Sequence[str], given: JsonObject, schema: JsonObject | None
) -> list[Violation]:
    where = f"{place}.update_mask"
    if not paths:
        return [(where, "The update mask is required.")]
    known = schema_fields(schema) if schema else {}
    found = []
    for path in paths:
        name = path.partition(".")[0]
        if known and name not in known:
            found.append((where, f"Field '{path}' of the update mask is not in the policy schema."))
        elif _value_at(given, path) is None:
            text = f"Field '{path}' of the update mask has no value in policy_value."
            found.append((where, text))
    return found


def _value_violations(
    place: str, paths: Sequence[str], given: JsonObject, schema: JsonObject | None
) -> list[Violation]:
    names = {path.partition(".")[0] for path in paths}
    return [
        (f"{place}.policy_value.value.{path}", text)
        for name in given
        if name in names and schema is not None
        for path, text in value_violations(schema, name, given[name])
    ]


def _value_at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _put_at(value: JsonObject, path: Sequence[str], item: Any) -> None:
    """Set a nested field of a value that is ours; objects on the way are copied."""
    for name in path[:-1]:
        inner = value.get(name)
        value[name] = dict(inner) if isinstance(inner, dict) else {}
        value = value[name]
    value[path[-1]] = item
