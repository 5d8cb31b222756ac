"""A declared API, ready to be asked: its routes, its collections, what it answers to a call."""

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from hmac import compare_digest
from itertools import islice

from mockserver.collections.collection import Schema
from mockserver.collections.refusals import RefusedError
from mockserver.declared.calls import Answer, DeclaredCall
from mockserver.declared.declaration import Action, Auth, Declaration, DeclaredHandler, Errors
from mockserver.declared.documents.errors import error_shape
from mockserver.declared.documents.methods import DocumentedMethods
from mockserver.declared.effects import accept_later, record_webhooks
from mockserver.declared.errors import ErrorShape, refusal, worded
from mockserver.declared.files import DeclaredFile
from mockserver.declared.forms import snake_case_fields, typed_fields, without_empty
from mockserver.declared.limits import Repeats, count_request
from mockserver.declared.methods import METHODS
from mockserver.declared.operations import operations_of
from mockserver.declared.routes import Operation, RouteMatch, RouteTrie
from mockserver.declared.rows import Rows, keys_table, silent_table
from mockserver.declared.snapshot import import_rows
from mockserver.declared.templates import render
from mockserver.errors import InvalidFilesError, Problem
from mockserver.googleapi import Api, ApiError, Call, Collection
from mockserver.googleapi.call import Handler
from mockserver.model import JsonObject, Miss, most_alike
from mockserver.storage.findings import Finding, locate_findings

_CLOSE = 0.6
_COMPARED = 2000
"""Routes that an unknown one is compared with."""

_UNSAFE = frozenset({"create", "bulk", "replace", "patch", "delete", "action"})


class DeclaredApi:
    """One declared API.

    Attributes:
        file: Its declaration and where that is written.
        declaration: What it says.
        rows: Its collections by name, compiled.
        operations: What it can be asked, by method id.
        documented: What its OpenAPI document says of it beside its collections, or None.

    Args:
        file: Its declaration.
        handlers: The Python functions that it names, loaded, by name.

    Raises:
        InvalidFilesError: Two of its routes are the same.
    """

    def __init__(self, file: DeclaredFile, handlers: Mapping[str, Handler] | None = None) -> None:
        self.file = file
        self.declaration: Declaration = file.declaration
        self.name = self.declaration.api
        self.base_path = self.declaration.base_path
        self._handlers = handlers or {}
        self.rows = {
            name: Rows(self.declaration, name, file.schemas)
            for name in self.declaration.collections
        }
        schema = Schema(each.collection for each in self.rows.values())
        for each in self.rows.values():
            each.siblings = schema
        self._found, self._trie = operations_of(self.declaration), RouteTrie()
        text = "{0.verb} {0.path} of {0.id} is the route of {1.id} already"
        clashes = [
            Finding(each.place, text.format(each, other), "give one of them another path")
            for each in self._found
            if (other := self._trie.add(each)) is not each
        ]
        if clashes:
            raise InvalidFilesError(locate_findings(file.path, file.text, clashes))
        self.operations: dict[str, Operation] = {}
        for operation in self._found:
            self.operations.setdefault(operation.id, operation)
        self.documented: DocumentedMethods | None = None
        if file.document is not None and self.declaration.openapi is not None:
            self.documented = DocumentedMethods(
                file.document, self.declaration, self.declaration.openapi, taken=self.operations
            )
            for operation in self.documented.operations:
                if self._trie.add(operation) is operation:
                    self.operations[operation.id] = operation
            for operation in self.documented.other_verbs():
                self._trie.add(operation)
        self._headers = tuple((name.lower(), value)
                              for name, value in self.declaration.headers.items())  # fmt: skip
        self._limit = self.declaration.rate_limit
        self._has_effects = bool(self.declaration.webhooks) or any(
            each.accepted is not None for each in self.declaration.collections.values()
        )
        rules = self.declaration.idempotency
        self._repeats = Repeats(silent_table(self.name, "requests"), rules) if rules else None

    @cached_property
    def errors(self) -> ErrorShape:
        """How it says errors: as declared, else as its document shows."""
        declared, document = self.declaration.errors, self.file.document
        if document is not None and "errors" not in self.declaration.model_fields_set:
            shown = error_shape(document)
            return ErrorShape(Errors.model_validate(shown) if shown else declared)
        return ErrorShape(declared)

    def document_problems(self) -> Iterator[Problem]:
        """What of its OpenAPI document is not served, and why.

        Yields:
            Warnings with their places in the document.
        """
        if self.documented is not None:
            served = [each for each in self.operations.values() if each.kind == "documented"]
            yield from self.documented.problems(served)

    def find(self, verb: str, path: str) -> RouteMatch | None:
        """What a verb and a path mean; None for a path that is not below its base path.

        Args:
            verb: Upper case.
            path: As sent, with the base path.
        """
        base = self.base_path
        if base and path != base and not path.startswith(f"{base}/"):
            return None
        return self._trie.find(verb, path[len(base) :] or "/")

    @property
    def stub_operations(self) -> Sequence[Operation]:
        """Its stubs as operations, of which several may have one id."""
        return tuple(each for each in self._found if each.kind == "stub")

    def takes(self, operation: Operation, content_type: str) -> bool:
        """Whether its document says that an operation takes bodies of a type."""
        known = self.documented
        return operation.kind == "documented" and known is not None and known.takes(
            operation, content_type)  # fmt: skip

    def routes(self) -> Iterator[str]:
        """What it answers: `GET /v1/flights`.

        Yields:
            One text for each operation.
        """
        for operation in self.operations.values():
            yield f"{operation.verb} {self.base_path}{operation.path}"

    def unknown(self, verb: str, path: str, verbs: Sequence[str]) -> ApiError:
        """404, or 405 where the path answers other verbs; with the nearest of its routes."""
        asked = f"{verb} {path}"
        _, nearest = most_alike(asked, islice(self.routes(), _COMPARED), _CLOSE)
        told = f" The nearest route is {nearest}." if nearest else ""
        if verbs:
            allowed = ", ".join(sorted(verbs))
            text = f"{path[:200]} does not answer {verb}; it answers {allowed}."
            miss = Miss(blame="agent_error", reason=text, nearest=nearest, differs=("method",))
            return refusal(405, text, headers={"Allow": allowed}, miss=miss)
        text = f"There is no route {asked[:200]}.{told}"
        reason = (
            f"{self.name} has no route {asked[:200]}; in its apis/*.yaml a stub would answer,"
            f' {{route: "{verb} {path.removeprefix(self.base_path)[:200]}", body: ...}}'
        )
        miss = Miss(blame="agent_error", reason=reason, nearest=nearest, differs=("path",))
        return refusal(404, text, reason="no_route", miss=miss)

    def parse_params(self, operation: Operation | None, params: JsonObject) -> JsonObject:
        """Parameters as what they mean, for the journal."""
        rows = self.rows.get(operation.collection) if operation is not None else None
        return params if rows is None else rows.parse_params(params)

    def fields_of(
        self, operation: Operation | None, body: JsonObject, *, is_form: bool
    ) -> JsonObject:
        """The fields that a body brings, as rows have them.

        Args:
            operation: What is asked; None where the path is unknown.
            body: What was sent.
            is_form: Whether that was a form, whose values are all texts.
        """
        rows = self.rows.get(operation.collection) if operation is not None else None
        if operation is None or rows is None:
            return body
        if rows.declared.body_names == "snake_case":
            body = snake_case_fields(body)
        if not is_form:
            return body
        is_action = operation.kind == "action"
        schema = rows.action_schemas[operation.name] if is_action else rows.schema
        if schema is not None:
            body = typed_fields(body, schema.schema)
        if operation.kind == "patch" and rows.declared.form_empty == "removed":
            body = without_empty(body)
        return body

    # --- who asks ---

    def credential(self, headers: Mapping[str, str], query: Mapping[str, Sequence[str]]) -> str:
        """The key that a request brings, or an empty string."""
        auth = self.declaration.auth
        if auth is None:
            return ""
        if auth.header:
            return headers.get(auth.header.lower(), "")
        if auth.query:
            return next(iter(query.get(auth.query, ())), "")
        kind, _, value = headers.get("authorization", "").partition(" ")
        if auth.bearer:
            return value.strip() if kind.lower() == "bearer" else ""
        return _basic(value.strip()) if kind.lower() == "basic" else ""

    def check_credential(self, operation: Operation | None, key: str, own: str) -> None:
        """Refuse a request whose key is missing or wrong.

        Args:
            operation: What is asked; None where the path is unknown.
            key: The key that it brings.
            own: The session's own credential, which is always good.

        Raises:
            ApiError: 401 or 403.
        """
        auth = self.declaration.auth
        if auth is None or (operation is not None and self._is_public(operation)):
            return
        good = any(compare_digest(key.encode(), each.encode()) for each in (*auth.values, own))
        if auth.basic and not good:
            good = any(compare_digest(each.encode(), own.encode()) for each in key.split(":", 1))
        if good or (key and not auth.values):
            return
        text = "The API key is not valid." if key else "The API key is missing."
        headers: JsonObject = {}
        if auth.status == 401 and (auth.bearer or auth.basic):
            scheme = "Bearer" if auth.bearer else "Basic"
            headers["WWW-Authenticate"] = f'{scheme} realm="{self.name}"'
        told = f"{text} {self._where_keys_are(auth)}"
        raise refusal(auth.status, text, headers=headers,
                      miss=Miss(blame="agent_error", reason=told))  # fmt: skip

    def _where_keys_are(self, auth: Auth) -> str:
        """Which key would do, for the journal: clients are not told."""
        keys = f"Good keys stand in {self.file.path.name} (auth.values)." if auth.values else ""
        variable = f"The session's environment has one as {auth.env}." if auth.env else ""
        return " ".join(filter(None, (keys or "Any key would do.", variable)))

    def auth_problems(self) -> list[Problem]:
        """What the author of a declaration without keys should know: a hint, or a warning."""
        auth = self.declaration.auth
        if auth is None or auth.values:
            return []
        hint = "list the good ones: auth: {values: [...]}"
        found = Finding(("auth",), "has no `values`: any key that is not empty is good", hint)
        level = "hint" if auth.env else "warning"
        located = locate_findings(self.file.path, self.file.text, [found])
        return [replace(each, level=level) for each in located]

    def _is_public(self, operation: Operation) -> bool:
        auth = self.declaration.auth
        below = operation.id.removeprefix(f"{self.name}.")
        return auth is not None and any(fnmatchcase(below, each) for each in auth.public)

    def key_for(self, own: str) -> str:
        """A key that is good in a session whose own credential is `own`."""
        auth = self.declaration.auth
        return auth.values[0] if auth is not None and auth.values else own

    # --- answers ---

    def answer(self, call: DeclaredCall) -> Answer:
        """Answer a call, within the API's limits.

        Raises:
            ApiError: An error, to be said in the API's own shape.
        """
        limit = self._limit
        extra = self._headers
        if limit is not None:
            told, refused = count_request(self.name, limit, call.world, call.caller.token)
            extra = (*extra, *told)
            if refused is not None:
                refused.headers = {**dict(told), **refused.headers}
                raise refused
        try:
            answer = self._repeats.earlier(call) if self._repeats is not None else None
            if answer is None:
                answer = self._accept(call)
                if self._repeats is not None:
                    self._repeats.keep(call, answer)
        except (ApiError, RefusedError) as refused:
            error = worded(refused) if isinstance(refused, RefusedError) else refused
            error.headers = {**dict(extra), **error.headers}
            error.status = self.errors.status(error)
            raise error from None
        return replace(answer, headers=(*answer.headers, *extra)) if extra else answer

    def _accept(self, call: DeclaredCall) -> Answer:
        operation = call.operation
        if operation.kind == "handler":
            return self._call_handler(call, self.declaration.handlers[operation.name])
        if operation.kind in {"stub", "batch"}:
            if call.by_server is None:
                text = f"The {operation.kind} {operation.id} answers requests to a server only."
                raise _unanswered(text)
            return call.by_server()
        if operation.kind == "documented" and self.documented is not None:
            return self.documented.answer(call)
        rows = self.rows[operation.collection]
        if operation.kind == "action" and rows.declared.actions[operation.name].handler:
            return self._call_handler(call, rows.declared.actions[operation.name])
        answer = METHODS[operation.kind](rows, call)
        if not self._has_effects or operation.kind not in _UNSAFE:
            return answer
        record_webhooks(self.declaration, call, answer.payload)
        return accept_later(rows, call, answer)

    def _call_handler(self, call: DeclaredCall, declared: DeclaredHandler | Action) -> Answer:
        name = declared.handler or ""
        if name not in self._handlers:
            raise _unanswered(f"The function {name} is not loaded.")
        payload = self._handlers[name](call.plain())
        return Answer(payload, 204 if payload is None else declared.status)

    def handle(self, call: Call) -> JsonObject | None:
        """Answer a call of the contract that all APIs share, as tools and other methods make it.

        Placeholders, parameters and the key are in `params`, the body in `body`.
        """
        return payload_of(self.answer(self.declared_call(call)))

    def declared_call(self, call: Call) -> DeclaredCall:
        """A call of the shared contract as an operation is handed it."""
        operation = self.operations[call.id]
        names = operation.placeholders
        query = {
            name: [str(each) for each in (value if isinstance(value, list) else [value])]
            for name, value in call.params.items()
            if name not in names and value is not None
        }
        captures = tuple(str(call.params.get(name, "")) for name in names)
        body = call.body.get("", call.body) if call.body else None
        return DeclaredCall(
            operation, captures, query, body, call.world,
            url=f"{call.base_url}{self._address}", caller=call.caller, invoke=call.invoke,
            ignored=call.ignored,
        )  # fmt: skip

    @property
    def _address(self) -> str:
        host = next(iter(self.declaration.hosts), "")
        return f"/{host}{self.base_path}" if host else self.base_path

    def environment(self, session_url: str, own: str) -> dict[str, str]:
        """The variables of a session's environment block that this API is for.

        Args:
            session_url: Where the session is, `http://127.0.0.1:8765/s/<id>`.
            own: The session's own credential.
        """
        auth = self.declaration.auth
        key = self.key_for(own) if auth is not None else ""
        values = {"url": f"{session_url}{self._address}", "key": key}
        made = {name: str(render(text, values)) for name, text in self.declaration.env.items()}
        if auth is not None and auth.env:
            made[auth.env] = key
        return made

    @cached_property
    def as_api(self) -> Api:
        """What the tables of APIs hold of it: its key of snapshots and its methods."""
        about = self.declaration.title or f"the declared API {self.name}"
        return Api(
            name=self.name,
            documents=(),
            handlers=dict.fromkeys(self.operations, self.handle),
            collections=(
                Collection(self.name, f"collections of {about}"),
                Collection(keys_table(self.name), f"keys of the next new rows of {about}"),
            ),
            import_snapshot=partial(import_rows, self.declaration, self.rows),
        )


def _unanswered(text: str) -> ApiError:
    return refusal(501, text, miss=Miss(blame="not_emulated", reason=text))


def payload_of(answer: Answer) -> JsonObject | None:
    """An answer in the contract that all APIs share: an object; a list stands under `items`."""
    payload = answer.payload
    return payload if payload is None or isinstance(payload, dict) else {"items": payload}


def _basic(value: str) -> str:
    try:
        return b64decode(value, validate=True).decode()
    except ValueError:
        return ""
