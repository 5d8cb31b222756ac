"""One gRPC request as the parameters and the body of one Discovery method."""

import re
from collections.abc import Sequence
from typing import Any

from mockserver.googleapi import Method, Parameter, at_root
from mockserver.model import JsonObject

_LITERAL = re.compile(r"[/^][a-zA-Z]\w*")


def body_field(descriptor: Any, method: Method) -> Any:
    """The field of a request that is the body of a method, or None when the body is the request."""
    found = [
        field
        for field in descriptor.fields
        if field.message_type is not None
        and not field.is_repeated
        and field.message_type.name == method.request
    ]
    return found[0] if len(found) == 1 else None


class Transcoding:
    """How the requests of one gRPC call are requests to one method.

    Attributes:
        method: The method.
        specific: How many literal segments its path asks for.

    Args:
        method: The method.
        descriptor: Of the request message.
    """

    def __init__(self, method: Method, descriptor: Any) -> None:
        self.method = method
        nested = body_field(descriptor, method)
        self._body = "" if nested is None else str(nested.json_name)
        self._rest_is_body = nested is None and method.request is not None
        self._parameters = method.parameters
        self._groups = frozenset(name[:end] for name in method.parameters for end in _dots(name))
        path = [each for each in method.parameters.values() if each.location == "path"]
        root = at_root(method.parameters) or {}
        self._path = tuple((each.name, _pattern(each, root.get(each.name))) for each in path)
        self.specific = sum(len(_LITERAL.findall(each.pattern)) for each in path)

    def split(self, request: JsonObject) -> tuple[JsonObject, JsonObject, tuple[str, ...]]:
        """A request as parameters and body, and the names of what the method has no place for.

        Args:
            request: The message as JSON, lowerCamel.
        """
        params: JsonObject = {}
        body: JsonObject = {}
        ignored: list[str] = []
        for name, value in request.items():
            if name in self._parameters:
                params[name] = value
            elif name in self._groups:
                self._flatten(name, value, params, ignored)
            elif name == self._body:
                body = value
            elif self._rest_is_body:
                body[name] = value
            else:
                ignored.append(name)
        for name, _ in self._path:
            if name not in params and name in body:
                params[name] = body[name]
        return params, body, tuple(ignored)

    def _flatten(
        self, prefix: str, message: JsonObject, params: JsonObject, ignored: list[str]
    ) -> None:
        for name, value in message.items():
            path = f"{prefix}.{name}"
            if path in self._parameters:
                params[path] = value
            elif path in self._groups:
                self._flatten(path, value, params, ignored)
            else:
                ignored.append(path)

    def misfit(self, request: JsonObject) -> str:
        """The first parameter of the path that a request leaves out or fills with something else.

        Returns:
            Its name; an empty string where the whole path can be filled.
        """
        for name, pattern in self._path:
            value = request.get(name)
            if value is None and self._body:
                value = request.get(self._body, {}).get(name)
            if value is None or not pattern.fullmatch(str(value)):
                return name
        return ""


def _pattern(parameter: Parameter, root: Parameter | None) -> re.Pattern[str]:
    wider = f"|{root.pattern}" if root else ""
    return re.compile((parameter.pattern or ".+") + wider)


def _dots(name: str) -> Sequence[int]:
    return [at for at, letter in enumerate(name) if letter == "."]
