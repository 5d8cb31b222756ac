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
_SYSTEM: Mapping[str, str] = {
    f"{sign}{name}": attribute
    for name, attribute in (*_NAMES.items(), *((name, "") for name in _UNUSED))
    for sign in ("", "$")
}
_NO = frozenset({"false", "0", "f", "no", "n"})
_ENUM_NUMBERS = "enum-encoding=int"


@dataclass(slots=True)
class SystemParameters:
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
    return _SYSTEM.get(name)


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


BoundParameters = tuple[JsonObject, SystemParameters, tuple[str, ...]]
"""The parameters of one call: those of path and query by lowerCamel name, converted (numbers and
booleans are such, 64-bit integers are strings, repeated ones are lists; absent means not sent);
system parameters; the names, as sent, of what was accepted and is not used."""


class ParameterBinder:
    """Binds the queries of requests for one path to the parameters of a method.

    `google` refuses unknown query parameters where the newer APIs do and ignores them where the
    older ones do; it holds values to types everywhere, and to `pattern`, `minimum` and `maximum` in
    the older APIs. `strict` refuses all of that everywhere, and values outside of `enum`. `lenient`
    ignores whatever cannot be used. (That the older APIs ignore unknown parameters is not verified
    against the live API.)

    Args:
        method: The method.
        captures: Path parameters, decoded.
        profile: How strictly the call is held to the document.
        dialect: How errors are said.
    """

    __slots__ = ("_dialect", "_ignored", "_params", "_rules", "_violations")

    def __init__(
        self, method: Method, captures: Mapping[str, str], profile: Profile, dialect: Dialect
    ) -> None:
        self._dialect: Dialect = dialect
        self._rules = _rules_of(method, profile, dialect)
        self._params: JsonObject = {}
        self._ignored: list[str] = []
        self._violations: list[Violation] = []
        for name, text in captures.items():
            reader = self._rules.in_path.get(name)
            if reader is not None:
                self._rules.take(reader, text, self._params, self._ignored, self._violations)

    def bind(self, query: str) -> BoundParameters:
        """Bind a query string as sent.

        Raises:
            ApiError: 400: unknown, missing or unreadable parameters, all at once.
        """
        rules, params, sent = self._rules, self._params.copy(), {}
        ignored, violations = self._ignored.copy(), self._violations.copy()
        for name, _, text in _split_query(query):
            known = rules.names.get(name)
            if known is None:
                if rules.refuses:
                    violations.append(unknown_parameter(name))
                else:
                    ignored.append(name)
            elif isinstance(known, _Reader):
                rules.take(known, text, params, ignored, violations)
            elif known:
                sent[known] = text
            else:
                ignored.append(name)
        for name in rules.required:
            if name not in params and all(each.parameter != name for each in violations):
                words = f"Missing required parameter: {name}"
                violations.append(Violation(snake_case(name), words, "required", name))
        if violations:
            raise bad_request(violations, self._dialect)
        if "alt" in sent or "callback" in sent:
            refuse_unsupported(sent, media=rules.media)
        system = read_system_parameters(sent, media=rules.media)
        return params, system, tuple(dict.fromkeys(ignored)) if ignored else ()


def query_pairs(query: str) -> list[tuple[str, str]]:
    """The names and values of a query in their order, blank values too.

    >>> query_pairs("a=1&b&c=%20")
    [('a', '1'), ('b', ''), ('c', ' ')]
    """
    return [(name, text) for name, _, text in _split_query(query)]


def _split_query(query: str) -> list[tuple[str, str, str]]:
    if "%" in query or "+" in query:
        return [(name, "=", text) for name, text in parse_qsl(query, keep_blank_values=True)]
    # what needs no decoding is told apart in a third of the time, without a comprehension in less
    found = []
    for pair in query.split("&"):
        if pair:
            found.append(pair.partition("="))
    return found


def bind_system_parameters(method: Method, query: str) -> SystemParameters:
    """The system parameters of a query string, be the rest of it right or wrong."""
    names = _rules_of(method, "google", "one_platform").names
    known = ((names.get(name), text) for name, text in query_pairs(query))
    sent = {name: text for name, text in known if name and isinstance(name, str)}
    return read_system_parameters(sent, media=method.media_download)


@dataclass(slots=True)
class _Reader:
    """A parameter with what reads it.

    Attributes:
        name: Its lowerCamel name.
        parameter: The parameter.
        read: Reads its text.
        is_held: Whether a value that can be read may be refused nevertheless.
        repeated: Whether it may be sent several times.
    """

    name: str
    parameter: Parameter
    read: Callable[[str], Json]
    is_held: bool
    repeated: bool


class _Rules:
    """What the parameters of a method are held to.

    Attributes:
        in_path: All parameters by their names.
        names: What a name in a query means: a parameter, in each spelling that is taken, or the
            attribute of `SystemParameters`, empty for one that has no use.
        required: The names of those that must be sent.
        refuses: Whether unknown names, and those that come twice, are refused.
        media: Whether the method has media to download.
    """

    __slots__ = ("_is_lenient", "_is_strict", "in_path", "media", "names", "refuses", "required")

    def __init__(self, method: Method, profile: Profile, dialect: Dialect) -> None:
        self._is_strict, self._is_lenient = profile == "strict", profile == "lenient"
        self.refuses = self._is_strict or (profile == "google" and dialect == "one_platform")
        self.media = method.media_download
        parameters = method.parameters.values()
        self.required = tuple(each.name for each in parameters if each.required)
        holds = self._is_strict or (profile == "google" and dialect == "legacy")
        self.in_path = {
            each.name: _Reader(
                each.name,
                each,
                scalar_reader(each.type, each.format),
                holds and (_has_range(each) or (self._is_strict and bool(each.enum))),
                each.repeated,
            )
            for each in parameters
        }
        query = {each.name for each in parameters if each.location == "query"}
        any_spelling = dialect == "one_platform" or self._is_lenient
        snake = {snake_case(name): self.in_path[name] if any_spelling else None for name in query}
        self.names: Mapping[str, _Reader | str | None] = {
            **_SYSTEM, **snake, **{name: self.in_path[name] for name in query}
        }  # fmt: skip

    def take(
        self,
        reader: _Reader,
        text: str,
        params: JsonObject,
        ignored: list[str],
        violations: list[Violation],
    ) -> None:
        """Put the value of a parameter to the others, or what is wrong with it."""
        name, parameter = reader.name, reader.parameter
        wrong, reason = "", "invalid"
        try:
            value = reader.read(text)
        except ValueError:
            proto = proto_type(parameter.type, parameter.format)
            wrong, value = refusal_text(snake_case(name), proto, text), None
        if reader.is_held and not wrong:
            wrong, reason = self._problem_of(parameter, text, value), _INVALID
        if wrong:
            if self._is_lenient:
                ignored.append(name)
            else:
                violations.append(Violation(snake_case(name), wrong, reason, name))
        elif reader.repeated:
            params.setdefault(name, []).append(value)
        elif name not in params:
            params[name] = value
        elif self.refuses:
            violations.append(unknown_name(name, "", _NOT_REPEATING))
        else:
            params[name] = value
            ignored.append(name)

    def _problem_of(self, parameter: Parameter, text: str, value: Json) -> str:
        """Why a readable value is refused nevertheless, or an empty string."""
        if self._is_strict and parameter.enum and text not in parameter.enum:
            allowed = ", ".join(parameter.enum)
            return f"Invalid string value: '{text}'. Allowed values: [{allowed}]"
        return _range_problem(parameter, text, value)


@lru_cache(4096)
def _rules_of(method: Method, profile: Profile, dialect: Dialect) -> _Rules:
    return _Rules(method, profile, dialect)


def _has_range(parameter: Parameter) -> bool:
    low, high = parameter.minimum, parameter.maximum
    return bool(parameter.pattern) or low is not None or high is not None


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
    if profile != "strict":
        plain = _plain_texts(method)
        for name, value in body.items():
            if type(value) is not str or name not in plain:
                break
        else:
            return body.copy(), ()  # all of it is as it should be
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


@lru_cache(1024)
def _plain_texts(method: Method) -> frozenset[str]:
    """The fields of a method's body of which any text is a value, and stays as it is."""
    schema = method.document.schemas.get(method.request or "", {})
    is_sent = _SENT.get(method.id, ())
    return frozenset(
        name
        for name, spec in schema.get("properties", {}).items()
        if _is_plain_text(spec)
        and (name in is_sent or not spec.get("readOnly"))
        and len(name) <= _LONGEST_NAME
    )


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
                elif isinstance(value, str) and _is_plain_text(spec) and depth < DEEPEST:
                    bound[key] = value
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
        if isinstance(value, dict):
            place = f" at '{at.path}'" if at.path else ""
            text = f"Invalid value{place} ({snake_case(at.name)}), {_NO_OBJECT}"
            self._refuse(Violation(at.path, text), at.full)
        if "enum" in schema:
            value = self._read_enum(schema["enum"], value, at.full)
        kind, form = schema.get("type", "string"), schema.get("format", "")
        if kind == "string" and self.method.api in _NUMBERS_AS_TEXTS and not form:
            value = json.dumps(value) if isinstance(value, int | float) else value
        try:
            return scalar_reader(kind, form)(value)
        except ValueError:
            words = refusal_text(at.full, proto_type(kind, form), value)
            return self._refuse(Violation(at.full, words), at.full)

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


def _is_plain_text(schema: JsonMapping) -> bool:
    """Whether any text is a value of it, and stays as it is."""
    return schema.get("type") == "string" and "format" not in schema and "enum" not in schema


def _sub_path(path: str, name: str) -> str:
    if not path or name.startswith("["):
        return path + snake_case(name)
    return f"{path}.{snake_case(name)}"


def _inside(value: Json) -> Sequence[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()
