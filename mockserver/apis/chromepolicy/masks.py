"""Which fields of a policy value a change replaces."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.apis.chromepolicy.schemas import Violation, defaults, fields, violations
from mockserver.googleapi import Call, bad_fields
from mockserver.model import JsonObject

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


def changed_value(
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
    found = [*_of_mask(place, paths, given, schema), *_of_values(place, paths, given, schema)]
    if found:
        raise bad_fields(found)
    value: JsonObject = {**(defaults(schema) if schema else {}), **current}
    for path in paths:
        _put(value, path.split("."), _get(given, path))
    masked = {path.partition(".")[0] for path in paths}
    call.ignored += [f"{place}.policyValue.value.{name}" for name in given if name not in masked]
    return value


def _lower_camel(value: Mapping[str, Any]) -> JsonObject:
    return {
        _UNDERSCORE.sub(lambda match: match.group(1).upper(), name): item
        for name, item in value.items()
    }


def _of_mask(
    place: str, paths: Sequence[str], given: JsonObject, schema: JsonObject | None
) -> list[Violation]:
    where = f"{place}.update_mask"
    if not paths:
        return [(where, "The update mask is required.")]
    known = fields(schema) if schema else {}
    found = []
    for path in paths:
        name = path.partition(".")[0]
        if known and name not in known:
            found.append((where, f"Field '{path}' of the update mask is not in the policy schema."))
        elif _get(given, path) is None:
            text = f"Field '{path}' of the update mask has no value in policy_value."
            found.append((where, text))
    return found


def _of_values(
    place: str, paths: Sequence[str], given: JsonObject, schema: JsonObject | None
) -> list[Violation]:
    names = {path.partition(".")[0] for path in paths}
    return [
        (f"{place}.policy_value.value.{path}", text)
        for name in given
        if name in names and schema is not None
        for path, text in violations(schema, name, given[name])
    ]


def _get(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _put(value: JsonObject, path: Sequence[str], item: Any) -> None:
    """Set a nested field of a value that is ours; objects on the way are copied."""
    for name in path[:-1]:
        inner = value.get(name)
        value[name] = dict(inner) if isinstance(inner, dict) else {}
        value = value[name]
    value[path[-1]] = item
