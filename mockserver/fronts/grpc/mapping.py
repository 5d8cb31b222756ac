"""Which methods of the Discovery documents a gRPC call is another way to reach.

No installed package says it, so it is read from what both sides have in common: the name of the
answer, the fields of the request, and the words of the names.
"""

import re
from collections.abc import Iterable
from typing import Any

from mockserver.fronts.grpc.registry import Rpc
from mockserver.googleapi import Method, Parameter, parameters_at_root
from mockserver.model import JsonObject

_LITERAL = re.compile(r"[/^][a-zA-Z]\w*")


def body_field(descriptor: Any, method: Method) -> Any:
    """The field of a request that is the body of a method, or None when the body is the request."""
    found = [each for each in _messages(descriptor) if method.request in schemas(each.message_type)]
    return found[0] if len(found) == 1 else None


def _messages(descriptor: Any) -> list[Any]:
    """The fields that hold one message."""
    return [
        each for each in descriptor.fields if each.message_type is not None and not each.is_repeated
    ]


def schemas(descriptor: Any) -> tuple[str, str]:
    """What documents call a message: by its own name, or with its package.

    >>> from google.longrunning.operations_pb2 import Operation
    >>> schemas(Operation.DESCRIPTOR)
    ('Operation', 'GoogleLongrunningOperation')
    """
    parts = descriptor.full_name.split(".")
    return parts[-1], "".join(part[:1].upper() + part[1:] for part in parts)


def naming_field(descriptor: Any, method: Method) -> Any:
    """The field of a request that is sent whole, whose message names what the path names; or None.

    `UpdateTopicRequest` is the body, and the path has the name of its topic.
    """
    path = _path_names(method)
    if method.request not in schemas(descriptor) or _names(descriptor).issuperset(path):
        return None
    found = [each for each in _messages(descriptor) if _names(each.message_type).issuperset(path)]
    return found[0] if len(found) == 1 else None


def _path_names(method: Method) -> list[str]:
    return [each.name for each in method.parameters.values() if each.location == "path"]


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
        naming = naming_field(descriptor, method)
        self._naming = self._body if naming is None else str(naming.json_name)
        self._rest_is_body = nested is None and method.request is not None
        self._parameters = method.parameters
        self._groups = frozenset(
            name[:end]
            for name in method.parameters
            for end, letter in enumerate(name)
            if letter == "."
        )
        path = [each for each in method.parameters.values() if each.location == "path"]
        root = parameters_at_root(method.parameters) or {}
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
        named = request.get(self._naming, {}) if self._naming else body
        for name, _ in self._path:
            if name not in params and name in named:
                params[name] = named[name]
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
            if value is None and self._naming:
                value = request.get(self._naming, {}).get(name)
            if value is None or not pattern.fullmatch(str(value)):
                return name
        return ""


def _pattern(parameter: Parameter, root: Parameter | None) -> re.Pattern[str]:
    wider = f"|{root.pattern}" if root else ""
    return re.compile((parameter.pattern or ".+") + wider)


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_VERSION = re.compile(r"v\d+\w*")
_PARENTS = frozenset(
    {"projects", "folders", "organizations", "billingAccounts", "locations", "zones"}
)
"""What resources are under; one gRPC call serves them under all."""

_ALSO_CALLED = {"update": ("update", "patch")}
_NOTHING = "Empty"
_ENOUGH = 2.5
"""Of the 6 that are full agreement; unrelated methods with the same answer stay below."""


def transcodings(rpc: Rpc, methods: Iterable[Method]) -> tuple[Transcoding, ...]:
    """The methods that a call may mean, the likeliest first; several when names tell them apart.

    Args:
        rpc: The call.
        methods: The methods of its host.
    """
    version = _version(rpc.service)
    ranked = sorted(
        (
            (_likeness(rpc, method), method)
            for method in methods
            if version in {"", method.version} and _may_mean(rpc, method)
        ),
        key=lambda each: -each[0],
    )
    if not ranked or ranked[0][0] < _ENOUGH:
        return ()
    best = ranked[0][1]
    return tuple(
        Transcoding(method, rpc.request.DESCRIPTOR)
        for _, method in ranked
        if method is best or _is_twin(method, best)
    )


def _version(service: str) -> str:
    """The version in a service's name, or an empty string.

    >>> _version("google.devtools.cloudtrace.v1.TraceService")
    'v1'
    """
    parts = [part for part in service.split(".") if _VERSION.fullmatch(part)]
    return parts[-1] if parts else ""


def _may_mean(rpc: Rpc, method: Method) -> bool:
    """Whether the answers have one name, and the path can be filled from the request."""
    if (method.response or _NOTHING) not in schemas(rpc.response.DESCRIPTOR):
        return False
    descriptor = rpc.request.DESCRIPTOR
    given = _names(descriptor)
    nested = body_field(descriptor, method) or naming_field(descriptor, method)
    if nested is not None:
        given |= _names(nested.message_type)
    return given.issuperset(_path_names(method))


def _likeness(rpc: Rpc, method: Method) -> float:
    """How alike a call and a method are: at most 2 each for fields, words and verb.

    The name of the service only tells apart what is alike otherwise.
    """
    descriptor = rpc.request.DESCRIPTOR
    given, known = _names(descriptor), {name.partition(".")[0] for name in method.parameters}
    nested = body_field(descriptor, method)
    if nested is not None:
        known.add(nested.json_name)
    elif method.request:
        known |= method.document.schemas.get(method.request, {}).get("properties", {}).keys()
    fields = (len(given & known) + 0.5) / (len(given | known) + 0.5)
    said = words(rpc.name)
    meant = words(method.id.partition(".")[2])
    alike = len({*said} & {*meant}) / len({*said} | {*meant})
    verb = words(method.id.rpartition(".")[2])[0]
    service = words(rpc.service.rpartition(".")[2].removesuffix("Service"))
    same_verb = verb in _ALSO_CALLED.get(said[0], said[:1])
    return 2 * (fields + alike + same_verb) + 0.5 * (not {*service}.isdisjoint(meant))


def _is_twin(method: Method, best: Method) -> bool:
    """Whether two methods do the same to resources under different parents."""
    if (method.path, method.http_method) == (best.path, best.http_method):
        return True
    mine, its = _without_parents(method), _without_parents(best)
    return mine == its or (len(its) > 1 and mine[-2:] == its[-2:])


def _without_parents(method: Method) -> tuple[str, ...]:
    segments = method.id.split(".")[1:]
    return tuple(segment for segment in segments if segment not in _PARENTS)


def _names(descriptor: Any) -> set[str]:
    return {field.json_name for field in descriptor.fields}


def words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case and in the singular.

    >>> words("ListLogEntries"), words("projects.timeSeries.list")
    (('list', 'log', 'entry'), ('project', 'time', 'series', 'list'))
    """
    return tuple(_singular(word.lower()) for word in _WORD.findall(name))


def _singular(word: str) -> str:
    if word == "series" or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word.removesuffix("s")
