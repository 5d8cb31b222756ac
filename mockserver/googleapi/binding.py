"""Binds a request to a method: its parameters, system parameters and body."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from mockserver.googleapi.discovery import Method, Parameter, is_free_form
from mockserver.googleapi.encoding import NULL_ENUM, enum_name
from mockserver.googleapi.errors import (
    ApiError,
    Dialect,
    Violation,
    bad_request,
    invalid,
    too_deep,
    unknown_name,
    unknown_parameter,
)
from mockserver.googleapi.scalars import (
    camel_case,
    proto_type,
    refusal_text,
    scalar_reader,
    snake_case,
)
from mockserver.model import Json, JsonMapping, JsonObject, Profile

_NAMES: Mapping[str, str] = {
    "alt": "alt",
    "prettyPrint": "pretty_print",
    "pp": "pretty_print",
    "fields": "fields",
    "key": "key",
    "access_token": "access_token",
    "oauth_token": "access_token",
    "bearer_token": "access_token",
    "quotaUser": "quota_user",
    "userIp": "quota_user",
    "callback": "callback",
    "userProject": "user_project",
    ".xgafv": "xgafv",
}
_UNUSED = frozenset({"uploadType", "upload_protocol", "trace", "ct", "req", "unique"})
_NO = frozenset({"false", "0", "f", "no", "n"})
_ENUM_NUMBERS = "enum-encoding=int"


class SystemParameters(NamedTuple):
    """The system parameters of one request.

    Attributes:
        alt: What is answered: `json`, or `media` for the content of a resource.
        pretty_print: Whether the answer is indented.
        fields: The field mask as sent, or an empty string.
        key: API key.
        access_token: A token given as `access_token` or `oauth_token`.
        quota_user: Whose quota it is.
        callback: Always empty: JSONP is refused.
        user_project: The project that pays.
        enum_encoding_int: Whether enums were asked for as numbers.
        xgafv: Error format that was asked for: `1` (`errors[]`), `2` (`status`) or an empty string.
    """

    alt: str = "json"
    pretty_print: bool = True
    fields: str = ""
    key: str = ""
    access_token: str = ""
    quota_user: str = ""
    callback: str = ""
    user_project: str = ""
    enum_encoding_int: bool = False
    xgafv: str = ""


def system_parameter_name(name: str) -> str | None:
    """The `SystemParameters` attribute that a query parameter sets, or None when it sets none.

    Every one may be written with a leading `$`. One that this server accepts and has no use for is
    an empty string.

    >>> [system_parameter_name(name) for name in ("$alt", "uploadType", "customer")]
    ['alt', '', None]
    """
    bare = name.removeprefix("$")
    known = _NAMES.get(bare)
    if known:
        return known
    return "" if bare in _UNUSED else None


_USUAL = SystemParameters()


def read_system_parameters(params: Mapping[str, str], *, media: bool = False) -> SystemParameters:
    """Read system parameters by attribute name; `media` where the method has some to download."""
    if not params:
        return _USUAL
    told: dict[str, Any] = dict(params)
    told.pop("callback", None)
    if "alt" in told:
        option = params["alt"].partition(";")[2]
        told["alt"] = "media" if media and params["alt"] == "media" else "json"
        told["enum_encoding_int"] = option == _ENUM_NUMBERS
    if "pretty_print" in told:
        told["pretty_print"] = params["pretty_print"].lower() not in _NO
    return SystemParameters(**told)


def refuse_unsupported(params: Mapping[str, str], *, media: bool = False) -> None:
    """Refuse system parameters, by attribute name, that ask for what is not served.

    Args:
        params: System parameters.
        media: Whether the method has media to download.

    Raises:
        ApiError: 400 (words not verified against the live API).
    """
    if params.get("callback"):
        raise _unsupported_error("callback", "JSONP is not supported.")
    if "alt" not in params:
        return
    form = params["alt"].partition(";")[0]
    if form != "json" and not (media and form == "media"):
        raise _unsupported_error(
            "alt", f"Unsupported output format {form[:40]!r}: only json is served."
        )


def _unsupported_error(name: str, message: str) -> ApiError:
    return invalid(message, location=name, reason="invalidParameter")


_INVALID = "invalidParameter"
_NOT_REPEATING = "Proto field is not repeating, cannot start list."


class BoundParameters(NamedTuple):
    """The parameters of one call; shared between requests, so never changed.

    Attributes:
        params: Path and query parameters by lowerCamel name, converted: numbers and booleans are
            such, 64-bit integers are strings, repeated ones are lists. Absent means not sent.
        system: System parameters.
        ignored: Names, as sent, of what was accepted and is not used.
    """

    params: JsonObject
    system: SystemParameters
    ignored: tuple[str, ...] = ()


def bind_parameters(
    method: Method, captures: Mapping[str, str], query: str, profile: Profile, dialect: Dialect
) -> BoundParameters:
    """Bind a path's captures and a query string to a method's parameters.

    `google` refuses unknown query parameters where the newer APIs do and ignores them where the
    older ones do; it holds values to types everywhere, and to `pattern`, `minimum` and `maximum` in
    the older APIs. `strict` refuses all of that everywhere, and values outside of `enum`. `lenient`
    ignores whatever cannot be used. (That the older APIs ignore unknown parameters is not verified
    against the live API.)

    Args:
        method: The method.
        captures: Path parameters, decoded.
        query: The query string as sent.
        profile: How strictly the call is held to the document.
        dialect: How errors are said.

    Raises:
        ApiError: 400: unknown, missing or unreadable parameters, all at once.
    """
    binder = _ParameterBinder(profile, dialect)
    names, in_path = _parameters_of(method)
    for name, text in captures.items():
        if name in in_path:
            binder.take(in_path[name], text)
    sent: dict[str, str] = {}
    any_spelling = dialect == "one_platform" or profile == "lenient"
    for name, text in query_pairs(query):
        known = names.get(name)
        if known is None:
            attribute = system_parameter_name(name)
            if attribute:
                sent[attribute] = text
            elif attribute is None:
                binder.refuse_name(name)
            else:
                binder.ignored.append(name)
        elif any_spelling or name == known.name:
            binder.take(known, text)
        else:
            binder.refuse_name(name)
    binder.finish(method)
    if not sent:
        return BoundParameters(binder.params, _USUAL, tuple(dict.fromkeys(binder.ignored)))
    refuse_unsupported(sent, media=method.media_download)
    system = read_system_parameters(sent, media=method.media_download)
    return BoundParameters(binder.params, system, tuple(dict.fromkeys(binder.ignored)))


def query_pairs(query: str) -> list[tuple[str, str]]:
    """The names and values of a query in their order, blank values too.

    >>> query_pairs("a=1&b&c=%20")
    [('a', '1'), ('b', ''), ('c', ' ')]
    """
    if "%" in query or "+" in query:
        return parse_qsl(query, keep_blank_values=True)
    # what needs no decoding is told apart in a third of the time
    found = [pair.partition("=") for pair in query.split("&") if pair]
    return [(name, text) for name, _, text in found]


def bind_system_parameters(method: Method, query: str) -> SystemParameters:
    """The system parameters of a query string, be the rest of it right or wrong."""
    names, _ = _parameters_of(method)
    pairs = query_pairs(query)
    sent = {system_parameter_name(name) or "": text for name, text in pairs if name not in names}
    sent.pop("", None)
    return read_system_parameters(sent, media=method.media_download)


class _Reader(NamedTuple):
    """A parameter with what reads it.

    Attributes:
        name: Its lowerCamel name.
        parameter: The parameter.
        read: Reads its text.
        is_held: Whether a value that can be read may be out of its range.
    """

    name: str
    parameter: Parameter
    read: Callable[[str], Json]
    is_held: bool


@lru_cache(4096)
def _parameters_of(method: Method) -> tuple[Mapping[str, _Reader], Mapping[str, _Reader]]:
    """Those of the query in each spelling, and all by their names."""
    readers = {
        name: _Reader(
            each.name,
            each,
            scalar_reader(each.type, each.format),
            bool(each.pattern) or each.minimum is not None or each.maximum is not None,
        )
        for name, each in method.parameters.items()
    }
    query = [each for each in readers.values() if each.parameter.location == "query"]
    spelt = {snake_case(each.name): each for each in query} | {each.name: each for each in query}
    return spelt, readers


@lru_cache(4096)
def _required_of(method: Method) -> tuple[str, ...]:
    return tuple(name for name, parameter in method.parameters.items() if parameter.required)


@dataclass(slots=True)
class _ParameterBinder:
    """Takes parameters one by one, and notes what is wrong."""

    profile: Profile
    dialect: Dialect
    params: JsonObject = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)

    def take(self, reader: _Reader, text: str) -> None:
        name, parameter, read, is_held = reader
        try:
            value = read(text)
        except ValueError:
            proto = proto_type(parameter.type, parameter.format)
            words = refusal_text(snake_case(parameter.name), proto, text)
            self._refuse(parameter, words, "invalid")
            return
        is_held = is_held or (self.profile == "strict" and bool(parameter.enum))
        wrong = self._problem_of(parameter, text, value) if is_held else ""
        if wrong:
            self._refuse(parameter, wrong, _INVALID)
        elif parameter.repeated:
            self.params.setdefault(name, []).append(value)
        else:
            self._put(name, value)

    def refuse_name(self, name: str) -> None:
        strict = self.profile == "strict"
        if strict or (self.profile == "google" and self.dialect == "one_platform"):
            self.violations.append(unknown_parameter(name))
        else:
            self.ignored.append(name)

    def finish(self, method: Method) -> None:
        refused = {each.parameter for each in self.violations}
        for name in _required_of(method):
            if name not in self.params and name not in refused:
                words = f"Missing required parameter: {name}"
                self.violations.append(Violation(snake_case(name), words, "required", name))
        if self.violations:
            raise bad_request(self.violations, self.dialect)

    def _refuse(self, parameter: Parameter, words: str, reason: str) -> None:
        if self.profile == "lenient":
            self.ignored.append(parameter.name)
        else:
            name = parameter.name
            self.violations.append(Violation(snake_case(name), words, reason, name))

    def _put(self, name: str, value: Json) -> None:
        if name not in self.params:
            self.params[name] = value
        elif self.profile == "strict" or (
            self.profile == "google" and self.dialect == "one_platform"
        ):
            self.violations.append(unknown_name(name, "", _NOT_REPEATING))
        else:
            self.params[name] = value
            self.ignored.append(name)

    def _problem_of(self, parameter: Parameter, text: str, value: Json) -> str:
        """Why a readable value is refused nevertheless, or an empty string."""
        if self.profile == "strict" and parameter.enum and text not in parameter.enum:
            allowed = ", ".join(parameter.enum)
            return f"Invalid string value: '{text}'. Allowed values: [{allowed}]"
        held = self.profile == "strict" or (self.profile == "google" and self.dialect == "legacy")
        return _range_problem(parameter, text, value) if held else ""


def _range_problem(parameter: Parameter, text: str, value: Json) -> str:
    low, high = parameter.minimum, parameter.maximum
    if (low is not None and int(value) < low) or (high is not None and int(value) > high):
        return f"Invalid value '{text}'. Values must be within the range: [{low}, {high}]"
    # a pattern with an anchor says which segments of the path there are; the router has seen to it
    pattern = parameter.pattern
    if pattern and not pattern.startswith("^") and not _compile(pattern).fullmatch(text):
        return (
            f"Invalid value '{text}'. Values must match the following regular expression: "
            f"'{pattern}'"
        )
    return ""


@lru_cache(1024)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


DEEPEST = 100
"""Nesting beyond which Google's JSON front end reads no further."""

_LONGEST_NAME = 200
_NO_FIELD = "Cannot find field."
_LIST_VALUE = "type.googleapis.com/google.protobuf.ListValue"
_SENT: Mapping[str, frozenset[str]] = {
    "drive.permissions.create": frozenset({"domain", "emailAddress"}),
}
"""Fields that a document calls read-only, and that its method has to be sent."""
_BODY_FIELDS = dict.fromkeys(
    ("sheets.spreadsheets.values.update", "sheets.spreadsheets.values.append"), "data"
)
"""The field of the request that the body of a method is, where recordings tell it."""
_NO_ROOT = "Root element must be a message."
_NO_OBJECT = "Starting an object on a scalar field"
_CLEARING_VERBS = frozenset({"PATCH", "PUT"})


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
    binder = _BodyReader(
        method,
        profile,
        forgives_names=tolerant,
        keeps_null=dialect == "legacy" and method.http_method in _CLEARING_VERBS,
    )
    message = binder.read_message(schema, body, _BODY_FIELDS.get(method.id, ""), 1)
    if profile == "strict":
        binder.check_required(schema, message)
    if binder.violations:
        raise bad_request(binder.violations, dialect)
    return message, tuple(binder.ignored)


class _UnusableValueError(Exception):
    """The value was refused or is ignored, so its field stays absent."""


class _Place(NamedTuple):
    """Where a value stands in a body: the proto path of its message, and its name as sent."""

    path: str
    name: str

    @property
    def full(self) -> str:
        """The proto path of the value."""
        return _sub_path(self.path, self.name)


_NUMBERS_AS_TEXTS = frozenset({"bigquery"})
"""APIs that take numbers and booleans for texts, as their clients send parameters of queries."""


@dataclass(slots=True)
class _BodyReader:
    """Walks a body along its schema, and notes what is wrong and what is ignored."""

    method: Method
    profile: Profile
    forgives_names: bool
    keeps_null: bool
    violations: list[Violation] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def read_message(
        self, schema: JsonMapping, given: JsonObject, path: str, depth: int
    ) -> JsonObject:
        properties = schema.get("properties", {})
        bound: JsonObject = {}
        for name, value in given.items():
            if len(name) > _LONGEST_NAME:
                name = name[:_LONGEST_NAME] + "..."
            key = name if name in properties else camel_case(name)
            spec = properties.get(key)
            try:
                if spec is None:
                    self._note_unknown(name, path)
                elif spec.get("readOnly") and key not in _SENT.get(self.method.id, ()):
                    self.ignored.append(_sub_path(path, name))
                elif value is None:
                    is_kept = self.keeps_null or spec.get("enum") == NULL_ENUM
                    bound.update({key: None} if is_kept else {})
                else:
                    bound[key] = self._read_field(spec, value, _Place(path, name), depth)
            except _UnusableValueError:
                continue
        return bound

    def check_required(self, schema: JsonMapping, message: JsonObject) -> None:
        """Refuse what lacks a field that the document requires of this method."""
        for name, spec in schema.get("properties", {}).items():
            required = spec.get("annotations", {}).get("required", ())
            if self.method.id in required and name not in message:
                text = f"Missing required field: {name}"
                self.violations.append(Violation(snake_case(name), text, "required"))

    def _read_field(self, spec: JsonMapping, value: Json, at: _Place, depth: int) -> Json:
        if "$ref" in spec:
            spec = self.method.document.schemas[spec["$ref"]]
        if spec.get("type") != "array":
            if isinstance(value, list) and spec.get("type") != "any":
                self._refuse(unknown_name(at.name, at.path, _NOT_REPEATING), at.full)
            return self._read_value(spec, value, at, depth)
        items = spec["items"]
        if not isinstance(value, list):
            self._check_list(items, value, at)
        # one value where several may be is read as a list of one
        values = value if isinstance(value, list) else [value]
        return self._read_array(items, values, at, depth)

    def _read_array(
        self, spec: JsonMapping, values: Sequence[Json], at: _Place, depth: int
    ) -> list[Json]:
        bound = []
        for index, value in enumerate(values):
            place = _Place(at.path, f"{at.name}[{index}]")
            try:
                self._check_list(spec, value, place)
                if isinstance(value, list) and spec.get("type") not in ("array", "any"):
                    # a list in a list is its items, as Google's reader of JSON takes it
                    bound += self._read_array(spec, value, place, depth + 1)
                elif value is not None:
                    bound.append(self._read_field(spec, value, place, depth + 1))
                elif spec.get("type") == "any":
                    bound.append(None)
            except _UnusableValueError:
                continue
        return bound

    def _check_list(self, spec: JsonMapping, value: Json, at: _Place) -> None:
        """Refuse what is no list among lists of lists: a list of one is not made of it."""
        if spec.get("type") == "array" and not isinstance(value, list):
            words = refusal_text(at.full, _LIST_VALUE, value)
            self._refuse(Violation(at.full, words), at.full)

    def _read_value(self, schema: JsonMapping, value: Json, at: _Place, depth: int) -> Json:
        if depth >= DEEPEST:
            self._refuse(too_deep(at.name), at.full)
        kind = schema.get("type")
        if kind == "any" or (kind == "object" and is_free_form(schema) and isinstance(value, dict)):
            self._free(value, at, depth)
            return value
        if kind == "object":
            return self._read_object(schema, value, at, depth)
        return self._read_scalar(schema, value, at)

    def _read_object(self, schema: JsonMapping, value: Json, at: _Place, depth: int) -> Json:
        path = at.full
        if not isinstance(value, dict):
            words = refusal_text(path, schema.get("id", "message"), value)
            self._refuse(Violation(path, words), path)
        if "properties" in schema:
            return self.read_message(schema, value, path, depth + 1)
        spec, bound = schema["additionalProperties"], {}
        for index, (key, each) in enumerate(value.items()):
            try:
                if each is not None:
                    place = _Place(path, f"[{index}].value")
                    bound[key] = self._read_field(spec, each, place, depth + 1)
                elif self.keeps_null:
                    bound[key] = None
            except _UnusableValueError:
                continue
        return bound

    def _read_scalar(self, schema: JsonMapping, value: Json, at: _Place) -> Json:
        path = at.full
        if isinstance(value, dict):
            place = f" at '{at.path}'" if at.path else ""
            text = f"Invalid value{place} ({snake_case(at.name)}), {_NO_OBJECT}"
            self._refuse(Violation(at.path, text), path)
        if "enum" in schema:
            value = self._read_enum(schema["enum"], value, path)
        kind, form = schema.get("type", "string"), schema.get("format", "")
        if kind == "string" and self.method.api in _NUMBERS_AS_TEXTS and not form:
            value = json.dumps(value) if isinstance(value, int | float) else value
        try:
            return scalar_reader(kind, form)(value)
        except ValueError:
            words = refusal_text(path, proto_type(kind, form), value)
            return self._refuse(Violation(path, words), path)

    def _read_enum(self, names: Sequence[str], value: Json, path: str) -> Json:
        if isinstance(value, int) and not isinstance(value, bool):
            named = enum_name(names, value)
            return value if named is None else named
        if value in names or not isinstance(value, str):
            return value
        usual = value.upper().replace("-", "_")
        if usual in names:
            return usual
        if self.profile == "strict":
            self._refuse(Violation(path, refusal_text(path, "TYPE_ENUM", value)), path)
        return value

    def _free(self, value: Json, at: _Place, depth: int) -> None:
        level, seen = [value], depth
        while level:
            if seen >= DEEPEST:
                self._refuse(too_deep(at.name), at.full)
            level = [inner for each in level for inner in _inside(each)]
            seen += 1

    def _note_unknown(self, name: str, path: str) -> None:
        parameter = None if path else self.method.parameters.get(camel_case(name))
        if parameter is not None and parameter.location == "path":
            return  # the message has it, though the document tells it in the path alone
        if self.forgives_names:
            self.ignored.append(_sub_path(path, name))
        else:
            self.violations.append(unknown_name(name, path, _NO_FIELD))

    def _refuse(self, violation: Violation, path: str) -> None:
        if self.profile == "lenient":
            self.ignored.append(path)
        else:
            self.violations.append(violation)
        raise _UnusableValueError


def _sub_path(path: str, name: str) -> str:
    if not path or name.startswith("["):
        return path + snake_case(name)
    return f"{path}.{snake_case(name)}"


def _inside(value: Json) -> Sequence[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()
