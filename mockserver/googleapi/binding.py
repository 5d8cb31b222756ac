"""Parameters of a call: from the path and the query string to what a handler gets."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import parse_qsl

from mockserver.googleapi.discovery import Method, Parameter
from mockserver.googleapi.errors import Dialect
from mockserver.googleapi.scalars import proto_type, reader, refusal, snake
from mockserver.googleapi.system import System, read_system, refuse_unsupported, system_name
from mockserver.googleapi.violations import (
    Violation,
    bad_request,
    unknown_name,
    unknown_parameter,
)
from mockserver.model import Json, JsonObject, Profile

_INVALID = "invalidParameter"
_NOT_REPEATING = "Proto field is not repeating, cannot start list."


@dataclass(frozen=True, slots=True)
class Bound:
    """The parameters of one call; shared between requests, so never changed.

    Attributes:
        params: Path and query parameters by lowerCamel name, converted: numbers and booleans are
            such, 64-bit integers are strings, repeated ones are lists. Absent means not sent.
        system: System parameters.
        ignored: Names, as sent, of what was accepted and is not used.
    """

    params: JsonObject
    system: System
    ignored: tuple[str, ...] = ()


def bind_parameters(
    method: Method, captures: Mapping[str, str], query: str, profile: Profile, dialect: Dialect
) -> Bound:
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
    binder = _Binder(profile, dialect)
    for name, text in captures.items():
        if name in method.parameters:
            binder.take(method.parameters[name], text)
    names = _names(method)
    sent: dict[str, str] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        attribute = system_name(name) if name not in names else None
        if attribute:
            sent[attribute] = text
        elif name in names and _camel_or_new(name, names[name], dialect, profile):
            binder.take(names[name], text)
        elif attribute is None:
            binder.refuse_name(name)
        else:
            binder.ignored.append(name)
    binder.finish(method)
    refuse_unsupported(sent, media=method.media_download)
    system = read_system(sent, media=method.media_download)
    return Bound(binder.params, system, tuple(dict.fromkeys(binder.ignored)))


def bind_system(method: Method, query: str) -> System:
    """The system parameters of a query string, be the rest of it right or wrong."""
    names = _names(method)
    pairs = parse_qsl(query, keep_blank_values=True)
    sent = {system_name(name) or "": text for name, text in pairs if name not in names}
    return read_system(sent, media=method.media_download)


@lru_cache(4096)
def _names(method: Method) -> Mapping[str, Parameter]:
    query = [each for each in method.parameters.values() if each.location == "query"]
    return {snake(each.name): each for each in query} | {each.name: each for each in query}


def _camel_or_new(name: str, parameter: Parameter, dialect: Dialect, profile: Profile) -> bool:
    return name == parameter.name or dialect == "one_platform" or profile == "lenient"


@dataclass(slots=True)
class _Binder:
    """Takes parameters one by one, and notes what is wrong."""

    profile: Profile
    dialect: Dialect
    params: JsonObject = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)

    def take(self, parameter: Parameter, text: str) -> None:
        try:
            value = reader(parameter.type, parameter.format)(text)
        except ValueError:
            proto = proto_type(parameter.type, parameter.format)
            self._refuse(parameter, refusal(snake(parameter.name), proto, text), "invalid")
            return
        wrong = self._wrong(parameter, text, value)
        if wrong:
            self._refuse(parameter, wrong, _INVALID)
        elif parameter.repeated:
            self.params.setdefault(parameter.name, []).append(value)
        else:
            self._put(parameter.name, value)

    def refuse_name(self, name: str) -> None:
        strict = self.profile == "strict"
        if strict or (self.profile == "google" and self.dialect == "one_platform"):
            self.violations.append(unknown_parameter(name))
        else:
            self.ignored.append(name)

    def finish(self, method: Method) -> None:
        for name, parameter in method.parameters.items():
            if parameter.required and name not in self.params and not self._refused(name):
                words = f"Missing required parameter: {name}"
                self.violations.append(Violation(snake(name), words, "required", name))
        if self.violations:
            raise bad_request(self.violations, self.dialect)

    def _refused(self, name: str) -> bool:
        return any(each.parameter == name for each in self.violations)

    def _refuse(self, parameter: Parameter, words: str, reason: str) -> None:
        if self.profile == "lenient":
            self.ignored.append(parameter.name)
        else:
            name = parameter.name
            self.violations.append(Violation(snake(name), words, reason, name))

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

    def _wrong(self, parameter: Parameter, text: str, value: Json) -> str:
        """Why a readable value is refused nevertheless, or an empty string."""
        if self.profile == "strict" and parameter.enum and text not in parameter.enum:
            allowed = ", ".join(parameter.enum)
            return f"Invalid string value: '{text}'. Allowed values: [{allowed}]"
        held = self.profile == "strict" or (self.profile == "google" and self.dialect == "legacy")
        return _outside(parameter, text, value) if held else ""


def _outside(parameter: Parameter, text: str, value: Json) -> str:
    low, high = parameter.minimum, parameter.maximum
    if (low is not None and int(value) < low) or (high is not None and int(value) > high):
        return f"Invalid value '{text}'. Values must be within the range: [{low}, {high}]"
    # a pattern with an anchor says which segments of the path there are; the router has seen to it
    pattern = parameter.pattern
    if pattern and not pattern.startswith("^") and not _compiled(pattern).fullmatch(text):
        return (
            f"Invalid value '{text}'. Values must match the following regular expression: "
            f"'{pattern}'"
        )
    return ""


@lru_cache(1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
