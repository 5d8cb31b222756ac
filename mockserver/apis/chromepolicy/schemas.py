"""Policy schemas of a snapshot and of Google, and the filters that choose some.

`public_schemas.json` holds the names of the published ones, by namespace.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import translate
from functools import cache
from pathlib import Path

import orjson

from mockserver.googleapi import ApiError, Comparison, Function, Leaf, bad_fields, filter_test
from mockserver.model import Json, JsonObject

Violation = tuple[str, str]
"""Field path, and what is wrong with it."""

_INTEGERS = frozenset(
    {"TYPE_INT32", "TYPE_INT64", "TYPE_UINT32", "TYPE_UINT64", "TYPE_SINT32", "TYPE_SINT64"}
)
_DEEPEST = 20


def namespace(schema_name: str) -> str:
    """A schema's name without its leaf.

    >>> namespace("chrome.users.apps.InstallType")
    'chrome.users.apps'
    """
    return schema_name.rpartition(".")[0]


def root_namespace(schema_name: str) -> str:
    """The first two parts of a schema's name.

    >>> root_namespace("chrome.users.apps.InstallType")
    'chrome.users'
    """
    return ".".join(schema_name.split(".")[:2])


def additional_keys(schema: JsonObject) -> tuple[str, ...]:
    """The names of the additional target keys that a value of this schema needs."""
    return tuple(str(item.get("key", "")) for item in schema.get("additionalTargetKeyNames", ()))


def allows_target(schema: JsonObject, target: str) -> bool:
    """Whether a target of this kind (`ORG_UNIT`, `GROUP`) may have a value of this schema."""
    valid = schema.get("validTargetResources")
    return not valid or target in valid


def default_values(schema: JsonObject) -> JsonObject:
    """The default values, where the schema's descriptions name them."""
    return {
        item.get("field") or item.get("name"): item["defaultValue"]
        for item in schema.get("fieldDescriptions", ())
        if "defaultValue" in item
    }


def schema_fields(schema: JsonObject) -> Mapping[str, JsonObject]:
    """The schema's own fields by name; empty when the schema has no definition."""
    messages = schema.get("definition", {}).get("messageType", [])
    leaf = str(schema.get("schemaName", "")).rpartition(".")[2]
    main = next((item for item in messages if item.get("name") == leaf), None)
    if main is None:
        main = messages[0] if messages else {}
    return _fields_by_name(main)


def _fields_by_name(message: JsonObject) -> Mapping[str, JsonObject]:
    return {str(item.get("jsonName") or item["name"]): item for item in message.get("field", ())}


def value_violations(schema: JsonObject, name: str, value: Json) -> tuple[Violation, ...]:
    """What is wrong with the value of one of the schema's fields, by the schema's definition."""
    field = schema_fields(schema).get(name)
    typed = () if field is None else _ValueChecker(schema).field_violations(field, value, name, 0)
    return (*typed, *_range_violations(schema, name, value))


class _ValueChecker:
    """Holds values against the types of one schema's definition."""

    def __init__(self, schema: JsonObject) -> None:
        definition = schema.get("definition", {})
        self._messages: dict[str, JsonObject] = {}
        self._enums: dict[str, JsonObject] = {}
        self._collect_types(definition, definition.get("messageType", ()))

    def _collect_types(self, holder: JsonObject, messages: Json) -> None:
        self._enums |= {item["name"]: item for item in holder.get("enumType", ())}
        for message in messages:
            self._messages[message.get("name", "")] = message
            self._collect_types(message, message.get("nestedType", ()))

    def field_violations(
        self, field: JsonObject, value: Json, path: str, depth: int
    ) -> Iterator[Violation]:
        if field.get("label") != "LABEL_REPEATED":
            yield from self._value_violations(field, value, path, depth)
        elif not isinstance(value, list):
            yield path, f"Field '{path}' is repeating, expected a list."
        else:
            for number, item in enumerate(value):
                yield from self._value_violations(field, item, f"{path}[{number}]", depth)

    def _value_violations(
        self, field: JsonObject, value: Json, path: str, depth: int
    ) -> Iterator[Violation]:
        kind = field.get("type", "")
        named = str(field.get("typeName", "")).rpartition(".")[2]
        if kind == "TYPE_ENUM":
            yield from _enum_violations(self._enums.get(named), value, path)
        elif kind == "TYPE_MESSAGE":
            yield from self._message_violations(self._messages.get(named), value, path, depth + 1)
        elif not _is_scalar(kind, value):
            yield path, f"Invalid value at '{path}' ({kind}), {_quote(value)}"

    def _message_violations(
        self, message: JsonObject | None, value: Json, path: str, depth: int
    ) -> Iterator[Violation]:
        if message is None or value is None or depth > _DEEPEST:
            return
        if not isinstance(value, dict):
            yield path, f"Invalid value at '{path}' (TYPE_MESSAGE), {_quote(value)}"
            return
        known = _fields_by_name(message)
        for name, item in value.items():
            if name not in known:
                yield f"{path}.{name}", f"Unknown name \"{name}\" at '{path}': Cannot find field."
            else:
                yield from self.field_violations(known[name], item, f"{path}.{name}", depth)


def _enum_violations(enum: JsonObject | None, value: Json, path: str) -> Iterator[Violation]:
    if enum is None:
        return
    names = [item.get("name") for item in enum.get("value", ())]
    numbers = [item.get("number", 0) for item in enum.get("value", ())]
    if isinstance(value, bool) or (value not in names and value not in numbers):
        yield path, f"Invalid value at '{path}' (TYPE_ENUM), {_quote(value)}"


def _is_scalar(kind: str, value: Json) -> bool:
    if kind == "TYPE_BOOL":
        return isinstance(value, bool)
    if kind in {"TYPE_STRING", "TYPE_BYTES"}:
        return isinstance(value, str)
    if kind in _INTEGERS:
        return _as_integer(value) is not None
    if kind in {"TYPE_DOUBLE", "TYPE_FLOAT"}:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return True


def _as_integer(value: Json) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = int(value)
    except (ValueError, OverflowError):
        return None
    return number if isinstance(value, str) or number == value else None


def _range_violations(schema: JsonObject, name: str, value: Json) -> Iterator[Violation]:
    number = _as_integer(value)
    if number is None:
        return
    for item in schema.get("fieldDescriptions", ()):
        if name in {item.get("field"), item.get("name")}:
            limits = item.get("fieldConstraints", {}).get("numericRangeConstraint", {})
            low, high = limits.get("minimum"), limits.get("maximum")
            if (low is not None and number < int(low)) or (high is not None and number > int(high)):
                yield name, f"Value of '{name}' must be between {low} and {high}, but is {number}."


def _quote(value: Json) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


_SCHEMA_FILTER = re.compile(r"^[A-Za-z]\w*(?:\.\w+)+\.(?:\w|\*)+$")


def is_schema_filter(text: str) -> bool:
    """Whether text is a schema's full name, or one with wildcards in its leaf only.

    Source: Chrome Policy reference.

    >>> [is_schema_filter(name) for name in ("chrome.users.*", "chrome.*", "*", "a.b.C,a.b.D")]
    [True, False, False, False]
    """
    return _SCHEMA_FILTER.match(text) is not None


def matching_schemas(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known schemas that a schema filter names; a wildcard stays within one namespace."""
    if "*" not in text:
        return tuple(name for name in known if name == text)
    leaf = re.compile(translate(text.rpartition(".")[2]))
    space = namespace(text)
    return tuple(
        name
        for name in known
        if namespace(name) == space and leaf.match(name.rpartition(".")[2]) is not None
    )


def schema_test(text: str) -> Callable[[JsonObject], bool]:
    """The test that a filter of `policySchemas.list` puts to a schema.

    Source: Chrome Policy guide, "List policy schemas". Texts of refusals are not verified against
    the live API.

    Raises:
        ApiError: 400; not a filter, or a field that cannot be filtered by.
    """
    return filter_test(text, _leaf_test, lambda error: _bad_filter(f"Invalid filter: {error}."))


def _bad_filter(why: str) -> ApiError:
    return bad_fields([("filter", why)])


def _leaf_test(leaf: Leaf) -> Callable[[JsonObject], bool]:
    name = leaf.name if isinstance(leaf, Function) else ""
    if isinstance(leaf, Comparison):
        name = leaf.field.casefold().replace("_", "")
    if name not in _FIELD_TESTS:
        raise _bad_filter(f"Invalid filter field '{name}'.")
    wanted = "" if isinstance(leaf, Function) else leaf.text.casefold()
    positive = not isinstance(leaf, Comparison) or leaf.operator != "!="
    return lambda schema: _FIELD_TESTS[name](wanted, schema) is positive


def _name(schema: JsonObject) -> str:
    return str(schema.get("schemaName", "")).casefold()


def _description(schema: JsonObject) -> str:
    return str(schema.get("policyDescription", "")).casefold()


def _field_texts(schema: JsonObject, *names: str) -> list[str]:
    return [
        str(item[name]).casefold()
        for item in schema.get("fieldDescriptions", ())
        for name in names
        if name in item
    ]


def _launch_stage(schema: JsonObject) -> str:
    stage = schema.get("policyApiLifecycle", {}).get("policyApiLifecycleStage", "")
    return str(stage).casefold()


_FIELD_TESTS: Mapping[str, Callable[[str, JsonObject], bool]] = {
    "": lambda text, schema: text in _name(schema) or text in _description(schema),
    "name": lambda text, schema: text in _name(schema),
    "namespace": lambda text, schema: text == namespace(_name(schema)),
    "description": lambda text, schema: text in _description(schema),
    "accessrestrictions": lambda text, schema: any(
        text in str(item).casefold() for item in schema.get("accessRestrictions", ())
    ),
    "policyapilifecycle": lambda text, schema: text == _launch_stage(schema),
    "fielddescriptions.field": lambda text, schema: text in _field_texts(schema, "field", "name"),
    "fielddescriptions.inputconstraint": lambda text, schema: (
        text in _field_texts(schema, "inputConstraint")
    ),
    "fielddescriptions.description": lambda text, schema: any(
        text in item for item in _field_texts(schema, "description", "fieldDescription")
    ),
    "additionaltargetkeys": lambda text, schema: (
        text in [name.casefold() for name in additional_keys(schema)]
    ),
}
"""Filter field, without case and underscores, to its test; the empty one is a bare literal's."""


_FILE = Path(__file__).with_name("public_schemas.json")
_KEYS = {"apps": "app_id", "networks": "network_id", "printers": "printer_id"}
"""The additional target key of a namespace, by one of its parts."""


@cache
def public_schemas() -> Mapping[str, tuple[str, ...]]:
    """The fields of each public schema, by its full name."""
    spaces = orjson.loads(_FILE.read_bytes())
    return {
        f"{space}.{leaf}": tuple(fields)
        for space, leaves in spaces.items()
        for leaf, fields in leaves.items()
    }


def public_schema(schema_name: str, beside: Iterable[str]) -> JsonObject | None:
    """A public schema as far as it is known: its fields without their types.

    Args:
        schema_name: The full name.
        beside: Fields that the session's own values have; the list may be older than these.

    Returns:
        The schema in the API's form, or None for a name that is not public.
    """
    known = public_schemas().get(schema_name)
    if known is None:
        return None
    message = {
        "name": schema_name.rpartition(".")[2],
        "field": [{"name": name} for name in sorted({*known, *beside})],
    }
    return {"schemaName": schema_name, "definition": {"messageType": [message]}}


def public_keys(schema_name: str) -> tuple[str, ...]:
    """The additional target keys of a public schema, derived from its namespace.

    >>> public_keys("chrome.users.apps.InstallType"), public_keys("chrome.users.UrlBlocking")
    (('app_id',), ())
    """
    parts = namespace(schema_name).split(".")
    return tuple(key for part, key in _KEYS.items() if part in parts)
