"""The operations of an OpenAPI document as methods of a declared API, and their made-up answers."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from mockserver.declared.calls import Answer, DeclaredCall
from mockserver.declared.declaration import PLACEHOLDER, Declaration, OpenApiFile
from mockserver.declared.documents import words
from mockserver.declared.documents.document import (
    NO_RESPONSE,
    DocumentedOperation,
    DocumentedRoute,
    OpenApiDocument,
    Response,
)
from mockserver.declared.documents.requests import RequestSchema
from mockserver.declared.documents.schemas import sample_value
from mockserver.declared.errors import refusal
from mockserver.declared.keywords import as_object
from mockserver.declared.routes import Operation
from mockserver.errors import Problem
from mockserver.googleapi import ApiError
from mockserver.model import FEW, Json, JsonObject, Miss
from mockserver.storage.findings import Finding

_SECRET = frozenset({"token", "access_token", "api_key", "apikey", "key", "password", "secret"})
_INTEGER = re.compile(r"-?\d{1,18}")
_FURTHER = frozenset((*words.NEXT_TOKENS, *words.NEXT_URLS))


class _AnswerTemplate:
    """What one operation answers: as in a success, else what the document calls the default."""

    def __init__(self, operation: DocumentedOperation) -> None:
        self._operation = operation
        response = operation.success
        if response is NO_RESPONSE:
            others = (each for each in operation.responses if each.status == "default")
            response = next(others, NO_RESPONSE)
        self.reason = _reason(response)
        """Why nothing can be made up, or an empty string."""
        status = int(response.status) if response.status.isdecimal() else 0
        self._answer = Answer(None, status or 204)
        if self.reason or not (response.schema or response.examples):
            return
        shown = response.examples[0] if response.examples else sample_value(response.schema)
        if _is_json(response.content_type):
            body = _without_further_pages(shown)
            self._answer = Answer(body, status or (204 if body is None else 200))
        else:
            content = shown.encode() if isinstance(shown, str) else b""
            self._answer = Answer(status=status or 200, content=content,
                                  content_type=response.content_type)  # fmt: skip

    def fill(self, sent: Mapping[str, Json]) -> Answer:
        """The answer to a request.

        A field of the answer has the value that the request sends under its name, if it is of the
        same kind; the last placeholder of the path, `petId`, is also what `id` means.

        Args:
            sent: Parameters and fields of the body by name.
        """
        body = self._answer.payload
        if not isinstance(body, dict):
            return self._answer
        return Answer({**body, **dict(self._same_fields(body, sent))}, self._answer.status)

    def _same_fields(
        self, body: JsonObject, sent: Mapping[str, Json]
    ) -> Iterator[tuple[str, Json]]:
        last = self._operation.path.rstrip("/").rpartition("/")[2]
        for name, value in sent.items():
            field = words.field_for(name, body)
            if not field and last == f"{{{name}}}" and words.words_of(name)[-1:] == ("id",):
                field = words.field_for("id", body)
            same: Json = _as_kind_of(body[field], value) if field else None
            if same is not None and name.lower() not in _SECRET:
                yield field, same


def _reason(response: Response) -> str:
    """Why no answer can be made up, or an empty string."""
    if response is NO_RESPONSE:
        return "the document has no answer of a success for it"
    kind = response.content_type
    if not (response.schema or response.examples) or _is_json(kind):
        return ""
    is_text = any(isinstance(each, str) for each in response.examples[:1])
    if is_text or (not response.examples and response.schema.kind == "string"):
        return ""
    return f"it answers {kind} alone, of which the document shows no example"


def _is_json(content_type: str) -> bool:
    return not content_type or "json" in content_type or "*" in content_type


def _without_further_pages(body: Json) -> Json:
    """An answer after which there are no further pages: who follows them comes to an end."""
    if not isinstance(body, dict):
        return body
    inner = {name: _last_page(as_object(body[name])) for name in words.ENVELOPES
             if isinstance(body.get(name), dict)}  # fmt: skip
    return _last_page({**body, **inner})


def _last_page(fields: JsonObject) -> JsonObject:
    return {
        name: "" if name in _FURTHER and isinstance(value, str)
        else False if name in words.HAS_MORE else value
        for name, value in fields.items()
    }  # fmt: skip


def _as_kind_of(shown: Json, sent: Json) -> Json:
    """What was sent where it is of the kind of JSON that is shown; else None."""
    if isinstance(shown, int | float) and not isinstance(shown, bool):
        if isinstance(sent, str) and _INTEGER.fullmatch(sent):
            return int(sent)
        return sent if isinstance(sent, int | float) and not isinstance(sent, bool) else None
    return sent if type(shown) is type(sent) else None


_NO_ID = re.compile(r"[^A-Za-z0-9_.\-/]+")
_NO_WORD = re.compile(r"[^A-Za-z0-9]+")
_NAMES = re.compile(r"\{([^{}]*)\}")
_VERBS = {"GET": "POST", "POST": "GET"}
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True)
class _Method:
    """One operation, compiled.

    Attributes:
        documented: What the document says of it.
        request: What it takes.
        template: What it answers.
    """

    documented: DocumentedOperation
    request: RequestSchema
    template: _AnswerTemplate


class DocumentedMethods:
    """What a document says of an API beside its collections.

    Attributes:
        document: The document.
        operations: Those that have a route, in the order of the document.

    Args:
        document: The document.
        declaration: The API.
        given: What it says of the document.
        taken: Method ids that the API has already.
    """

    def __init__(
        self,
        document: OpenApiDocument,
        declaration: Declaration,
        given: OpenApiFile,
        *,
        taken: Collection[str] = (),
    ) -> None:
        api, base_path = declaration.api, declaration.base_path
        self.document = document
        self._unserved: list[Finding] = []
        self._declaration = declaration
        self._synthesis = given.synthesis
        without_keys = not any("{" in each.path for each in document.routes)
        self._is_rpc = without_keys if given.rpc is None else given.rpc
        self._taken = {each.removeprefix(f"{api}.") for each in taken}
        self._routes: dict[str, DocumentedRoute] = {}
        self._compiled: dict[str, _Method] = {}
        self.operations = tuple(self._operations(api, base_path))

    def other_verbs(self) -> Iterator[Operation]:
        """The same operations by the other verb, where GET and POST mean the same.

        Yields:
            Each; one of the document may have its route.
        """
        for each in self.operations if self._is_rpc else ():
            if each.verb in _VERBS:
                yield replace(each, verb=_VERBS[each.verb])

    def _operations(self, api: str, base_path: str) -> Iterator[Operation]:
        paths = self.document.paths_below(base_path)
        for route in self.document.routes:
            path = paths[route.path]
            reason = _unservable(path, base_path)
            if reason:
                self._unserved.append(Finding(route.place, f"is not served: {reason}"))
                continue
            verb_and_path = _NO_WORD.sub("_", f"{route.verb.lower()}{route.path}").strip("_")
            name = _NO_ID.sub("_", route.id).strip("_")
            if " " in route.id or not name or name in self._taken:
                name = verb_and_path
            self._taken.add(name)
            self._routes[name] = route
            path = _NAMES.sub(_placeholder, path)
            yield Operation(
                f"{api}.{name}", route.verb, path, "documented", name=name, place=route.place
            )

    def method(self, operation: Operation) -> _Method:
        """One operation, compiled when it is first asked for."""
        if operation.name not in self._compiled:
            documented = self.document.operation(self._routes[operation.name])
            self._compiled[operation.name] = _Method(
                documented,
                RequestSchema(documented, _NAMES.findall(documented.path), is_rpc=self._is_rpc),
                _AnswerTemplate(documented),
            )
        return self._compiled[operation.name]

    def answer(self, call: DeclaredCall) -> Answer:
        """Answer a call with what the document alone can tell.

        Raises:
            ApiError: 400 or 422: the call does not fit; 501: no answer can be made up.
        """
        method = self.method(call.operation)
        sent = method.request.check(call)
        reason = method.template.reason
        if not self._synthesis:
            reason = "no collection serves it, and the declaration says `synthesis: false`"
        elif not call.may_make_up:
            reason = "no collection serves it, and this session makes nothing up"
        if reason:
            raise self._not_served(call.operation, method.template, reason)
        return method.template.fill(sent)

    def _not_served(self, operation: Operation, template: _AnswerTemplate, reason: str) -> ApiError:
        """501: what nothing serves, with the lines that would."""
        from mockserver.declared.documents.serving import serving_lines

        text = f"{operation.id} is not served: {reason}."
        lines = serving_lines(self._declaration, operation, template.fill({}), self.operations)
        api = self._declaration.api
        whole = "\n".join((f"{text} These lines in the declaration of {api} serve it:", "", *lines))
        return refusal(
            501, whole, reason="not_served", miss=Miss(blame="not_emulated", reason=text)
        )

    def takes(self, operation: Operation, content_type: str) -> bool:
        """Whether an operation takes bodies of a type.

        Args:
            operation: One of these.
            content_type: In lower case, without its parameters.
        """
        kinds = self.method(operation).documented.body_types
        return any(
            fnmatchcase(content_type, each.partition(";")[0].strip().lower()) for each in kinds
        )

    def problems(self, served: Sequence[Operation]) -> Iterator[Problem]:
        """What of the document is not served, and why.

        Args:
            served: Those of these operations that no collection serves.

        Yields:
            Warnings, the first few of a kind, with their places in the document.
        """
        yield from self.document.problems
        found = [*self._unserved]
        for each in served:
            reason = self.method(each).template.reason
            if not self._synthesis:
                reason = "no collection serves it, and no answers are made up (`synthesis: false`)"
            if reason:
                found.append(Finding(each.place, f"is not served: {reason}"))
        if len(found) > FEW:
            text = f"and {len(found) - FEW} more operations are not served"
            found = [*found[:FEW], Finding(("paths",), text)]
        yield from self.document.locate(found, "warning")


def _unservable(path: str, base_path: str) -> str:
    """Why a path cannot be a route, or an empty string."""
    if not path:
        return f"its path is not below the base path {base_path}"
    if set(path) & set("?# "):
        return "its path has a query, a fragment or a space"
    for segment in path.split("/"):
        if len(_NAMES.findall(segment)) > 1:
            return f"its path has several placeholders in one segment, {segment}"
        if set(_NAMES.sub("", segment)) & set("{}"):
            return f"its path has a brace without another, in {segment}"
    return ""


def _placeholder(found: re.Match[str]) -> str:
    """A placeholder with a name that routes take."""
    name = _NO_NAME.sub("_", found[1]).strip("-")
    shown = f"{{{name if name[:1].isalpha() or name[:1] == '_' else f'p{name}'}}}"
    return shown if PLACEHOLDER.fullmatch(shown) else "{value}"
