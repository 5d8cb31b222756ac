"""Calls one method for all of its pages: paced, patient with quotas, every answer recorded.

The clients are those of google-api-python-client, built from the installed Discovery documents.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import httplib2
import orjson
from googleapiclient.errors import HttpError

from mockserver.capture.google.plans import Limits
from mockserver.errors import MockServerError
from mockserver.googleapi import Catalog, Method
from mockserver.model import Interaction, Json, JsonObject

_READ_ONLY_ENDINGS = ("readonly", "read-only", ".read")
_EVERYTHING = "cloud-platform"


class ApiClients:
    """Builds requests as google-api-python-client does.

    Args:
        catalog: The documents.
        supplements: Documents of routes that no Discovery document has.
        http: What clients send their requests through.
    """

    def __init__(self, catalog: Catalog, supplements: Sequence[JsonObject], http: object) -> None:
        self._catalog = catalog
        self._supplements = {(raw["name"], raw["version"]): raw for raw in supplements}
        self._http = http
        self._built: dict[tuple[str, str, int], tuple[Any, JsonObject]] = {}

    def request(self, method: Method, params: Mapping[str, Json], body: JsonObject | None) -> Any:
        """A request that `execute()` sends.

        Raises:
            MockServerError: A parameter does not have the form that the document asks for.
        """
        from googleapiclient.discovery import key2param

        client, raw = self._client(method)
        *resources, name = map(_safe, next(_paths(raw, method.id)))
        for resource in resources:
            client = getattr(client, resource)()
        given = {key2param(key): value for key, value in params.items() if value is not None}
        if body is not None:
            given["body"] = body
        try:
            return getattr(client, name)(**given)
        except TypeError as error:
            raise MockServerError(f"{method.id}: {error}") from error

    def _client(self, method: Method) -> tuple[Any, JsonObject]:
        told = self._supplements.get((method.api, method.version))
        supplements = [told] if told and next(_paths(told, method.id), None) else []
        key = (method.api, method.version, len(supplements))
        if key not in self._built:
            from googleapiclient.discovery import build_from_document

            raw = raw_document(self._catalog, supplements, method.api, method.version)
            self._built[key] = (build_from_document(raw, http=self._http), raw)
        return self._built[key]


def raw_document(
    catalog: Catalog, supplements: Sequence[JsonObject], name: str, version: str
) -> JsonObject:
    """A document as it is written.

    Raises:
        MockServerError: There is none; a plan that was checked does not ask for it.
    """
    for raw in supplements:
        if (raw["name"], raw["version"]) == (name, version):
            return raw
    text = catalog.document(name, version)
    if text is None:
        raise MockServerError(f"no Discovery document {name}:{version}")
    found: JsonObject = orjson.loads(text)
    return found


def narrowest_scope(method: Method) -> str:
    """The scope of a method that allows least, as far as names tell; empty when it needs none."""
    reading = [scope for scope in method.scopes if scope.endswith(_READ_ONLY_ENDINGS)]
    own = [scope for scope in reading if _EVERYTHING not in scope]
    return next(iter([*own, *reading, *method.scopes]), "")


def _paths(node: JsonObject, method_id: str) -> Iterator[tuple[str, ...]]:
    for name, method in node.get("methods", {}).items():
        if method["id"] == method_id:
            yield (name,)
    for name, inner in node.get("resources", {}).items():
        for path in _paths(inner, method_id):
            yield (name, *path)


def _safe(name: str) -> str:
    from googleapiclient.discovery import fix_method_name

    return str(fix_method_name(name))


_RETRY_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
_QUOTA_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"})
_SCOPE_REASONS = frozenset({"ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"})
_LONGEST_WAIT_S = 64.0
_TOKEN = "pageToken"  # noqa: S105  (a parameter)
_NEXT = "nextPageToken"


class AnswerRecorder(Protocol):
    """What the last request of a client was answered with."""

    def take(self) -> Interaction | None:
        """The interaction, once."""


@dataclass(frozen=True)
class Failure:
    """A call that was not answered as it should have been.

    Attributes:
        status: The HTTP status; 0 where nothing came back.
        message: What was said.
        scope: Whether the credentials lack a scope.
    """

    status: int
    message: str
    scope: bool = False


@dataclass
class CallOutcome:
    """What one call brought.

    Attributes:
        answer: All pages as one: their lists joined, everything else as the first page has it.
        pages: How many were answered.
        items: How many resources their lists hold.
        cut: Why further pages were left out, or an empty string.
        failure: What went wrong, after the pages that were answered; None when nothing did.
    """

    answer: JsonObject = field(default_factory=dict)
    pages: int = 0
    items: int = 0
    cut: str = ""
    failure: Failure | None = None


class Pace:
    """Keeps requests apart.

    Args:
        qps: Requests in a second.
        sleep: Waits for some seconds.
        now: Tells the time, in seconds from any moment.
    """

    def __init__(
        self,
        qps: float,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gap = 1 / qps
        self._next = 0.0
        self.sleep = sleep
        self._clock = now

    def wait(self) -> None:
        """Wait until the next request may be sent."""
        now = self._clock()
        if self._next > now:
            self.sleep(self._next - now)
        self._next = max(now, self._next) + self._gap


class MethodCaller:
    """Asks methods, and hands on every interaction that counts.

    Answers that only ask for patience are waited out and not recorded: they tell of our pace, not
    of the API's data. The last one is recorded when patience ends.

    Args:
        clients: Builds requests.
        recorder: Where they are heard.
        record: Takes an interaction.
        pace: Keeps requests apart.
        retries: How often a request is sent again.
    """

    def __init__(
        self,
        clients: ApiClients,
        recorder: AnswerRecorder,
        record: Callable[[Interaction], object],
        pace: Pace,
        *,
        retries: int,
    ) -> None:
        self._clients = clients
        self._heard = recorder
        self._record = record
        self._pace = pace
        self._retries = retries

    def ask(
        self, method: Method, params: Mapping[str, Json], body: JsonObject, limits: Limits
    ) -> CallOutcome:
        """Ask for all pages of one call, as far as the limits go.

        Raises:
            MockServerError: What was heard could not be recorded.
        """
        outcome = CallOutcome()
        seen: set[str] = set()
        token = ""
        while True:
            try:
                answer = self._page(method, params, body, token)
            except _FailedError as error:
                outcome.failure = error.failure
                return outcome
            _add_page(outcome, answer)
            token = str(answer.get(_NEXT) or "")
            outcome.cut = _why_stop(outcome, limits) if token else ""
            if not token or outcome.cut or not _pages(method):
                return outcome
            if token in seen:
                outcome.failure = Failure(0, "the API gave the same page token twice")
                return outcome
            seen.add(token)

    def _page(
        self, method: Method, params: Mapping[str, Json], body: JsonObject, token: str
    ) -> JsonObject:
        if token and _TOKEN in method.parameters:
            params = {**params, _TOKEN: token}
        elif token:
            body = {**body, _TOKEN: token}
        sent = body if method.request is not None else None
        for attempt in range(self._retries):
            found, wait = self._attempt(method, params, sent, attempt)
            if found is not None:
                return found
            self._pace.sleep(wait)
        found, _ = self._attempt(method, params, sent, None)
        return found or {}

    def _attempt(
        self,
        method: Method,
        params: Mapping[str, Json],
        body: JsonObject | None,
        attempt: int | None,
    ) -> tuple[JsonObject | None, float]:
        """One attempt; the last one has no number. The answer, or how long to wait for it."""
        self._pace.wait()
        try:
            answer = self._clients.request(method, params, body).execute()
        except MockServerError as error:
            raise _FailedError(Failure(0, error.message)) from error
        except (httplib2.HttpLib2Error, OSError) as error:
            if attempt is None:
                message = f"no answer: {str(error) or type(error).__name__}"
                raise _FailedError(Failure(0, message)) from error
            return None, _wait("", attempt)
        except HttpError as error:
            if attempt is not None and _is_retryable(error):
                self._heard.take()
                return None, _wait(str(error.resp.get("retry-after", "")), attempt)
            self._take(method)
            raise _FailedError(_failure(error)) from error
        self._take(method)
        return (answer if isinstance(answer, dict) else {}), 0.0

    def _take(self, method: Method) -> None:
        interaction = self._heard.take()
        if interaction is not None:
            self._record(replace(interaction, method_id=method.id))


class _FailedError(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def _pages(method: Method) -> bool:
    if _TOKEN in method.parameters:
        return True
    schema = method.document.schemas.get(method.request or "", {})
    return _TOKEN in schema.get("properties", {})


def _add_page(outcome: CallOutcome, answer: JsonObject) -> None:
    lists = {name: value for name, value in answer.items() if isinstance(value, list)}
    outcome.pages += 1
    outcome.items += sum(map(len, lists.values()))
    for name, value in answer.items():
        if name in lists and isinstance(outcome.answer.get(name), list):
            outcome.answer[name] += value
        elif name != _NEXT:
            outcome.answer.setdefault(name, list(value) if name in lists else value)


def _why_stop(outcome: CallOutcome, limits: Limits) -> str:
    if outcome.pages >= limits.max_pages:
        return f"there is more after {outcome.pages} pages (max_pages)"
    if outcome.items >= limits.max_items:
        return f"there is more after {outcome.items} items (max_items)"
    return ""


def _wait(retry_after: str, attempt: int) -> float:
    """Seconds: what the API asks for, or twice as long each time."""
    asked = float(retry_after) if retry_after.isdecimal() else 0.0
    return min(max(asked, float(2**attempt)), max(asked, _LONGEST_WAIT_S))


def _is_retryable(error: HttpError) -> bool:
    return error.resp.status in _RETRY_STATUSES or bool(_reasons(error) & _QUOTA_REASONS)


def _failure(error: HttpError) -> Failure:
    body = _body(error)
    message = body.get("message") or error.reason or error.resp.reason or "no message"
    status = int(error.resp.status)
    return Failure(
        status, str(message)[:500], scope=status == 403 and bool(_reasons(error) & _SCOPE_REASONS)
    )


def _reasons(error: HttpError) -> set[str]:
    """The reasons that an error gives, in the older and in the newer form."""
    body = _body(error)
    found = [*_objects(body.get("errors")), *_objects(body.get("details"))]
    return {str(each["reason"]) for each in found if "reason" in each}


def _objects(value: Json) -> Iterator[JsonObject]:
    yield from (each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()


def _body(error: HttpError) -> JsonObject:
    try:
        found = orjson.loads(error.content)
    except ValueError:
        return {}
    inner = found.get("error") if isinstance(found, dict) else None
    return inner if isinstance(inner, dict) else {}
