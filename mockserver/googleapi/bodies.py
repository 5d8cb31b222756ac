"""Request bodies: from JSON as sent to the message a handler gets."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from mockserver.googleapi.discovery import Method, is_free_form
from mockserver.googleapi.enums import enum_name
from mockserver.googleapi.errors import Dialect
from mockserver.googleapi.scalars import camel, proto_type, reader, refusal, snake
from mockserver.googleapi.violations import Violation, bad_request, too_deep, unknown_name
from mockserver.model import Json, JsonMapping, JsonObject, Profile

DEEPEST = 100
"""Nesting beyond which Google's JSON front end reads no further."""

_LONGEST_NAME = 200
_NOT_REPEATING = "Proto field is not repeating, cannot start list."
_NO_FIELD = "Cannot find field."
_NO_ROOT = "Root element must be a message."
_NO_OBJECT = "Starting an object on a scalar field"
_CLEARS = frozenset({"PATCH", "PUT"})


def bind_body(
    method: Method, body: Json, profile: Profile, dialect: Dialect
) -> tuple[JsonObject, tuple[str, ...]]:
    """Read a request body by its schema, as Google's JSON front end does.

    Names may be lowerCamel or snake_case and become lowerCamel; 64-bit integers become strings,
    enum numbers names, bytes standard base64, timestamps UTC. `null` is as if absent, except in a
    `PATCH` or `PUT` of the older APIs, where it clears a field. Read-only fields are ignored. An
    enum value that the document does not list is refused by `strict` alone. `lenient` ignores
    whatever cannot be used, and so do the older APIs with unknown names (not verified against the
    live API).

    Args:
        method: The method.
        body: The parsed body; None when there is none.
        profile: How strictly the call is held to the document.
        dialect: How errors are said.

    Returns:
        The message, and the paths of what was ignored.

    Raises:
        ApiError: 400: unknown names and unreadable values, all at once.
    """
    if body is None:
        body = {}
    if not isinstance(body, dict):
        raise bad_request([unknown_name("", "", _NO_ROOT)], dialect)
    schema = method.document.schemas.get(method.request or "")
    if schema is None:
        return {}, tuple(body)
    tolerant = profile == "lenient" or (profile == "google" and dialect == "legacy")
    binder = _Binder(
        method,
        profile,
        forgives_names=tolerant,
        keeps_null=dialect == "legacy" and method.http_method in _CLEARS,
    )
    message = binder.message(schema, body, "", 1)
    if profile == "strict":
        binder.require(schema, message)
    if binder.violations:
        raise bad_request(binder.violations, dialect)
    return message, tuple(binder.ignored)


class _Unusable(Exception):  # noqa: N818  (a signal, not an error: the value has been noted)
    """The value was refused or is ignored, so its field stays absent."""


@dataclass(slots=True)
class _Binder:
    """Walks a body along its schema, and notes what is wrong and what is ignored."""

    method: Method
    profile: Profile
    forgives_names: bool
    keeps_null: bool
    violations: list[Violation] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def message(self, schema: JsonMapping, given: JsonObject, path: str, depth: int) -> JsonObject:
        properties = schema.get("properties", {})
        bound: JsonObject = {}
        for name, value in given.items():
            if len(name) > _LONGEST_NAME:
                name = name[:_LONGEST_NAME] + "..."
            key = name if name in properties else camel(name)
            spec = properties.get(key)
            try:
                if spec is None:
                    self._unknown(name, path)
                elif spec.get("readOnly"):
                    self.ignored.append(_below(path, name))
                elif value is None:
                    bound.update({key: None} if self.keeps_null else {})
                else:
                    bound[key] = self._field(spec, value, (path, name), depth)
            except _Unusable:
                continue
        return bound

    def require(self, schema: JsonMapping, message: JsonObject) -> None:
        """Refuse what lacks a field that the document requires of this method."""
        for name, spec in schema.get("properties", {}).items():
            required = spec.get("annotations", {}).get("required", ())
            if self.method.id in required and name not in message:
                text = f"Missing required field: {name}"
                self.violations.append(Violation(snake(name), text, "required"))

    def _field(self, spec: JsonMapping, value: Json, at: tuple[str, str], depth: int) -> Json:
        if "$ref" in spec:
            spec = self.method.document.schemas[spec["$ref"]]
        if spec.get("type") != "array":
            if isinstance(value, list) and spec.get("type") != "any":
                self._refuse(unknown_name(at[1], at[0], _NOT_REPEATING), _below(*at))
            return self._value(spec, value, at, depth)
        # one value where several may be is read as a list of one
        values = value if isinstance(value, list) else [value]
        return self._several(spec["items"], values, at, depth)

    def _several(
        self, spec: JsonMapping, values: Sequence[Json], at: tuple[str, str], depth: int
    ) -> list[Json]:
        bound = []
        for index, value in enumerate(values):
            place = (at[0], f"{at[1]}[{index}]")
            try:
                if value is not None:
                    bound.append(self._field(spec, value, place, depth + 1))
            except _Unusable:
                continue
        return bound

    def _value(self, schema: JsonMapping, value: Json, at: tuple[str, str], depth: int) -> Json:
        if depth >= DEEPEST:
            self._refuse(too_deep(at[1]), _below(*at))
        kind = schema.get("type")
        if kind == "any" or (kind == "object" and is_free_form(schema) and isinstance(value, dict)):
            self._free(value, at, depth)
            return value
        if kind == "object":
            return self._object(schema, value, at, depth)
        return self._scalar(schema, value, at)

    def _object(self, schema: JsonMapping, value: Json, at: tuple[str, str], depth: int) -> Json:
        path = _below(*at)
        if not isinstance(value, dict):
            words = refusal(path, schema.get("id", "message"), value)
            self._refuse(Violation(path, words), path)
        if "properties" in schema:
            return self.message(schema, value, path, depth + 1)
        spec, bound = schema["additionalProperties"], {}
        for index, (key, each) in enumerate(value.items()):
            try:
                if each is not None:
                    place = (path, f"[{index}].value")
                    bound[key] = self._field(spec, each, place, depth + 1)
            except _Unusable:
                continue
        return bound

    def _scalar(self, schema: JsonMapping, value: Json, at: tuple[str, str]) -> Json:
        path = _below(*at)
        if isinstance(value, dict):
            place = f" at '{at[0]}'" if at[0] else ""
            text = f"Invalid value{place} ({snake(at[1])}), {_NO_OBJECT}"
            self._refuse(Violation(at[0], text), path)
        if "enum" in schema:
            value = self._enum(schema["enum"], value, path)
        kind, form = schema.get("type", "string"), schema.get("format", "")
        try:
            return reader(kind, form)(value)
        except ValueError:
            words = refusal(path, proto_type(kind, form), value)
            return self._refuse(Violation(path, words), path)

    def _enum(self, names: Sequence[str], value: Json, path: str) -> Json:
        if isinstance(value, int) and not isinstance(value, bool):
            named = enum_name(names, value)
            return value if named is None else named
        if value in names or not isinstance(value, str):
            return value
        usual = value.upper().replace("-", "_")
        if usual in names:
            return usual
        if self.profile == "strict":
            self._refuse(Violation(path, refusal(path, "TYPE_ENUM", value)), path)
        return value

    def _free(self, value: Json, at: tuple[str, str], depth: int) -> None:
        level, seen = [value], depth
        while level:
            if seen >= DEEPEST:
                self._refuse(too_deep(at[1]), _below(*at))
            level = [inner for each in level for inner in _inside(each)]
            seen += 1

    def _unknown(self, name: str, path: str) -> None:
        if self.forgives_names:
            self.ignored.append(_below(path, name))
        else:
            self.violations.append(unknown_name(name, path, _NO_FIELD))

    def _refuse(self, violation: Violation, path: str) -> None:
        if self.profile == "lenient":
            self.ignored.append(path)
        else:
            self.violations.append(violation)
        raise _Unusable


def _below(path: str, name: str) -> str:
    if not path or name.startswith("["):
        return path + snake(name)
    return f"{path}.{snake(name)}"


def _inside(value: Json) -> Sequence[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()
