"""What a policy schema says: its fields, its defaults, the targets it may have."""

from collections.abc import Iterator, Mapping

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


def allows(schema: JsonObject, target: str) -> bool:
    """Whether a target of this kind (`ORG_UNIT`, `GROUP`) may have a value of this schema."""
    valid = schema.get("validTargetResources")
    return not valid or target in valid


def defaults(schema: JsonObject) -> JsonObject:
    """The values that hold when nobody set any, as far as the schema's descriptions say."""
    return {
        item.get("field") or item.get("name"): item["defaultValue"]
        for item in schema.get("fieldDescriptions", ())
        if "defaultValue" in item
    }


def fields(schema: JsonObject) -> Mapping[str, JsonObject]:
    """The schema's own fields by name; empty when the schema has no definition."""
    messages = schema.get("definition", {}).get("messageType", [])
    leaf = str(schema.get("schemaName", "")).rpartition(".")[2]
    main = next((item for item in messages if item.get("name") == leaf), None)
    if main is None:
        main = messages[0] if messages else {}
    return _by_name(main)


def _by_name(message: JsonObject) -> Mapping[str, JsonObject]:
    return {str(item.get("jsonName") or item["name"]): item for item in message.get("field", ())}


def violations(schema: JsonObject, name: str, value: Json) -> tuple[Violation, ...]:
    """What is wrong with the value of one of the schema's fields, by the schema's definition."""
    field = fields(schema).get(name)
    typed = () if field is None else _Checker(schema).field(field, value, name, 0)
    return (*typed, *_out_of_range(schema, name, value))


class _Checker:
    """Holds values against the types of one schema's definition."""

    def __init__(self, schema: JsonObject) -> None:
        definition = schema.get("definition", {})
        self._messages: dict[str, JsonObject] = {}
        self._enums: dict[str, JsonObject] = {}
        self._collect(definition, definition.get("messageType", ()))

    def _collect(self, holder: JsonObject, messages: Json) -> None:
        self._enums |= {item["name"]: item for item in holder.get("enumType", ())}
        for message in messages:
            self._messages[message.get("name", "")] = message
            self._collect(message, message.get("nestedType", ()))

    def field(self, field: JsonObject, value: Json, path: str, depth: int) -> Iterator[Violation]:
        if field.get("label") != "LABEL_REPEATED":
            yield from self._one(field, value, path, depth)
        elif not isinstance(value, list):
            yield path, f"Field '{path}' is repeating, expected a list."
        else:
            for number, item in enumerate(value):
                yield from self._one(field, item, f"{path}[{number}]", depth)

    def _one(self, field: JsonObject, value: Json, path: str, depth: int) -> Iterator[Violation]:
        kind = field.get("type", "")
        named = str(field.get("typeName", "")).rpartition(".")[2]
        if kind == "TYPE_ENUM":
            yield from _enum(self._enums.get(named), value, path)
        elif kind == "TYPE_MESSAGE":
            yield from self._message(self._messages.get(named), value, path, depth + 1)
        elif not _is_scalar(kind, value):
            yield path, f"Invalid value at '{path}' ({kind}), {_quoted(value)}"

    def _message(
        self, message: JsonObject | None, value: Json, path: str, depth: int
    ) -> Iterator[Violation]:
        if message is None or value is None or depth > _DEEPEST:
            return
        if not isinstance(value, dict):
            yield path, f"Invalid value at '{path}' (TYPE_MESSAGE), {_quoted(value)}"
            return
        known = _by_name(message)
        for name, item in value.items():
            if name not in known:
                yield f"{path}.{name}", f"Unknown name \"{name}\" at '{path}': Cannot find field."
            else:
                yield from self.field(known[name], item, f"{path}.{name}", depth)


def _enum(enum: JsonObject | None, value: Json, path: str) -> Iterator[Violation]:
    if enum is None:
        return
    names = [item.get("name") for item in enum.get("value", ())]
    numbers = [item.get("number", 0) for item in enum.get("value", ())]
    if isinstance(value, bool) or (value not in names and value not in numbers):
        yield path, f"Invalid value at '{path}' (TYPE_ENUM), {_quoted(value)}"


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


def _out_of_range(schema: JsonObject, name: str, value: Json) -> Iterator[Violation]:
    number = _as_integer(value)
    if number is None:
        return
    for item in schema.get("fieldDescriptions", ()):
        if name in {item.get("field"), item.get("name")}:
            limits = item.get("fieldConstraints", {}).get("numericRangeConstraint", {})
            low, high = limits.get("minimum"), limits.get("maximum")
            if (low is not None and number < int(low)) or (high is not None and number > int(high)):
                yield name, f"Value of '{name}' must be between {low} and {high}, but is {number}."


def _quoted(value: Json) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
