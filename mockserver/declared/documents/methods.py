"""The operations of an OpenAPI document as methods of a declared API."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from mockserver.declared.calls import Answer, DeclaredCall
from mockserver.declared.declaration import PLACEHOLDER, Declaration, OpenApiFile
from mockserver.declared.documents.answers import AnswerTemplate
from mockserver.declared.documents.document import (
    DocumentedOperation,
    DocumentedRoute,
    OpenApiDocument,
)
from mockserver.declared.documents.requests import RequestSchema
from mockserver.declared.errors import refusal
from mockserver.declared.routes import Operation
from mockserver.errors import Problem
from mockserver.googleapi import ApiError
from mockserver.model import FEW, Miss
from mockserver.storage.findings import Finding

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
    template: AnswerTemplate


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
                AnswerTemplate(documented),
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

    def _not_served(self, operation: Operation, template: AnswerTemplate, reason: str) -> ApiError:
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
