"""Runs a capture by plan: credentials, the calls in order, and the result of each."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from mockserver.capture.google.calls import (
    ApiClients,
    CallOutcome,
    Failure,
    MethodCaller,
    Pace,
    narrowest_scope,
    raw_document,
)
from mockserver.capture.google.plans import (
    FIELDS,
    NOW,
    Limits,
    Plan,
    PlannedCall,
    ReferenceFailureError,
    fill_references,
    read_plan,
    with_variables,
)
from mockserver.capture.google_catalog import google_catalog, supplements
from mockserver.capture.recorder_queue import counted
from mockserver.errors import FormatError, MockServerError
from mockserver.googleapi import Catalog, Method
from mockserver.model import CassetteInfo, Json
from mockserver.state import parse_rfc3339, rfc3339
from mockserver.storage import read_object

if TYPE_CHECKING:
    from mockserver.capture.recorder import Recorder

_UNAUTHORIZED = 401


@dataclass(frozen=True)
class CallResult:
    """One call that was made, or could not be made.

    Attributes:
        call: Its id in the plan.
        about: The values of `for_each` it was made for, readable; empty without.
        method: Discovery id.
        outcome: What it brought.
        optional: Whether its failure is none of the capture.
    """

    call: str
    about: str
    method: str
    outcome: CallOutcome
    optional: bool

    @property
    def failed(self) -> bool:
        """Whether it makes the capture fail."""
        return self.outcome.failure is not None and not self.optional


@dataclass(frozen=True)
class PlanStep:
    """One call, ready to be made.

    Attributes:
        call: The planned call.
        about: The values of `for_each`, readable.
        known: What its references may mean.
    """

    call: PlannedCall
    about: str
    known: Mapping[str, Json]


def run_plan(
    plan: Plan,
    variables: Mapping[str, Json],
    catalog: Catalog,
    asker: MethodCaller,
    started: Callable[[PlanStep, int, int], None],
) -> Iterator[CallResult]:
    """Make the calls of a plan in order; a failed one does not stop those that can be made.

    Args:
        plan: A plan that was checked.
        variables: Values of its variables, and `now`.
        catalog: The documents.
        asker: Asks.
        started: Told of each call before it is made: the step, its number, and how many there are
            of the same planned call.

    Yields:
        Each call when it was made. After an answer that refuses the credentials no further call is
        made.
    """
    known: dict[str, Json] = dict(variables)
    for call in plan.calls:
        method = catalog.method(call.method, call.version)
        assert method is not None, "the plan was checked"  # noqa: S101
        limits = _call_limits(plan.limits, call)
        answers: list[Json] = []
        steps, problem = _steps(call, known)
        if problem:
            yield _failed_call(call, problem)
        for number, step in enumerate(steps):
            started(step, number, len(steps))
            done = _make_call(step, method, limits, asker)
            answers.append(done.outcome.answer)
            yield done
            if done.outcome.failure and done.outcome.failure.status == _UNAUTHORIZED:
                return
        known[call.id] = answers if call.for_each else (answers[0] if answers else {})


def _call_limits(limits: Limits, call: PlannedCall) -> Limits:
    own = {"max_pages": call.max_pages, "max_items": call.max_items}
    return limits.model_copy(update={name: value for name, value in own.items() if value})


def _steps(call: PlannedCall, known: Mapping[str, Json]) -> tuple[list[PlanStep], str]:
    """A planned call for each combination of its values, or why there are none."""
    ranges: list[list[Json]] = []
    for name, given in call.for_each.items():
        try:
            values = fill_references(given, known)
        except ReferenceFailureError as error:
            return [], str(error)
        if not isinstance(values, list):
            return [], f"for_each {name!r}: {given!r} is no list"
        ranges.append(values)
    names = list(call.for_each)
    return [
        PlanStep(
            call,
            ", ".join(map(_label, chosen)),
            {**known, **dict(zip(names, chosen, strict=True))},
        )
        for chosen in product(*ranges)
    ], ""


_TELLING = (
    "orgUnitPath", "primaryEmail", "email", "displayName", "schemaName", "name", "id", "type",
)  # fmt: skip


def _label(value: Json) -> str:
    if isinstance(value, dict):
        return str(next((value[name] for name in _TELLING if value.get(name)), "..."))
    return str(value)


def _make_call(step: PlanStep, method: Method, limits: Limits, asker: MethodCaller) -> CallResult:
    call = step.call
    try:
        params, body = (
            fill_references(call.params, step.known),
            fill_references(call.body, step.known),
        )
    except ReferenceFailureError as error:
        return _failed_call(call, str(error), step.about)
    outcome = asker.ask(method, params, body, limits)
    return CallResult(call.id, step.about, method.id, outcome, call.optional)


def _failed_call(call: PlannedCall, problem: str, about: str = "") -> CallResult:
    outcome = CallOutcome(failure=Failure(0, problem))
    return CallResult(call.id, about, call.method, outcome, call.optional)


_LACKING = 2
_FAILED = 1


@dataclass(frozen=True)
class Failures:
    """What did not go well.

    Attributes:
        lines: One a failure, and one a call that was cut short; to be redacted before it is shown.
        exit_code: 0, 1 where a call failed, 2 where the credentials are not accepted for one.
    """

    lines: tuple[str, ...]
    exit_code: int


def call_summary(results: Sequence[CallResult]) -> Iterator[str]:
    """One line a planned call: how often it was made, pages, items, failures.

    Yields:
        The lines, in the order of the plan.
    """
    by_call: dict[str, list[CallResult]] = {}
    for one in results:
        by_call.setdefault(one.call, []).append(one)
    for call, ones in by_call.items():
        failed = sum(one.outcome.failure is not None for one in ones)
        pages = sum(one.outcome.pages for one in ones)
        items = sum(one.outcome.items for one in ones)
        parts = [counted(len(ones), "call"), counted(pages, "page"), counted(items, "item")]
        parts += [f"{failed} failed"] if failed else []
        yield f"{call}: {', '.join(parts)}"


def call_failures(results: Sequence[CallResult]) -> Failures:
    """What failed, and what was cut short by a limit."""
    lines, codes = [], [0]
    for one in results:
        name = f"{one.call} [{one.about}]" if one.about else one.call
        failure = one.outcome.failure
        if failure is not None:
            lines.append(_failure_line(name, one, failure))
            codes.append(_exit_code(one, failure))
        if one.outcome.cut:
            lines.append(f"{name}: cut short: {one.outcome.cut}")
    return Failures(tuple(lines), max(codes))


def _failure_line(name: str, one: CallResult, failure: Failure) -> str:
    status = f" {failure.status}" if failure.status else ""
    advice = ""
    if failure.scope:
        advice = f"; the credentials lack a scope of {one.method}, see --dry-run"
    elif failure.status == _UNAUTHORIZED:
        advice = "; the credentials are not accepted, no further call was made"
    kept = f", {counted(one.outcome.pages, 'page')} kept" if one.outcome.pages else ""
    optional = " (optional)" if one.optional else ""
    return f"{name}: failed{optional}{status}: {failure.message}{advice}{kept}"


def _exit_code(one: CallResult, failure: Failure) -> int:
    if failure.status == _UNAUTHORIZED:
        return _LACKING
    if one.optional:
        return 0
    return _LACKING if failure.scope else _FAILED


def load_credentials(file: Path | None, subject: str, scopes: Sequence[str]) -> Any:
    """Credentials with the scopes that a plan needs.

    Args:
        file: A service account's key, or a user's credentials; None for the application default
            credentials.
        subject: Whom a service account with domain-wide delegation acts for; empty for itself.
        scopes: OAuth scopes.

    Returns:
        Credentials of google-auth.

    Raises:
        MockServerError: There are none, they cannot be read, or they cannot act for somebody.
    """
    from google.auth.exceptions import GoogleAuthError

    try:
        found = _default_credentials(scopes) if file is None else _file_credentials(file, scopes)
    except (GoogleAuthError, FormatError, OSError, ValueError) as error:
        where = "application default credentials" if file is None else str(file)
        raise MockServerError(
            f"no credentials: {where} cannot be used: {_first_line(error)}",
            hint=_scope_hint(scopes),
        ) from error
    if not subject:
        return found
    if not hasattr(found, "with_subject"):
        raise MockServerError(
            "--subject needs a service account with domain-wide delegation",
            hint="name its key with --credentials FILE",
        )
    return found.with_subject(subject)


def _default_credentials(scopes: Sequence[str]) -> Any:
    import google.auth

    auth: Any = google.auth  # partly typed
    return auth.default(scopes=list(scopes))[0]


def _file_credentials(file: Path, scopes: Sequence[str]) -> Any:
    from google.oauth2 import credentials, service_account

    content = read_object(file)
    kinds: dict[str, Any] = {
        "service_account": service_account.Credentials.from_service_account_info,
        "authorized_user": credentials.Credentials.from_authorized_user_info,
    }
    kind = content.get("type")
    if kind not in kinds:
        raise ValueError(
            f"its type is {kind!r}, not {' or '.join(kinds)}; credentials of other types can be the"
            " application default ones (GOOGLE_APPLICATION_CREDENTIALS)"
        )
    return kinds[kind](content, scopes=list(scopes))


def refresh_credentials(credentials: Any, scopes: Sequence[str]) -> None:
    """Make sure that credentials are good, before anything is recorded.

    Raises:
        MockServerError: They are refused.
    """
    import httplib2
    from google.auth.exceptions import GoogleAuthError
    from google_auth_httplib2 import Request

    try:
        if not credentials.valid:
            credentials.refresh(Request(httplib2.Http(timeout=30)))
    except (GoogleAuthError, httplib2.HttpLib2Error, OSError) as error:
        raise credentials_error(error, scopes) from error


def credentials_error(error: Exception, scopes: Sequence[str]) -> MockServerError:
    """The error of credentials that are not accepted."""
    return MockServerError(
        f"the credentials were refused: {_first_line(error)}", hint=_scope_hint(scopes)
    )


def _first_line(error: Exception) -> str:
    """The first line of what went wrong; an authorization server's answer may hold more."""
    return str(error.args[0] if error.args else error).strip().splitlines()[0][:300]


def _scope_hint(scopes: Sequence[str]) -> str:
    listed = ",".join(scopes)
    return (
        f"`gcloud auth application-default login --scopes={listed}`, or --credentials with a"
        " service account's key that was granted these scopes"
    )


Clock = Callable[[], datetime]


@dataclass(frozen=True)
class PreparedCapture:
    """A plan that is ready to be run.

    Attributes:
        plan: The plan, with the limits that were asked for.
        written: Its content, as written.
        variables: Values of its variables, and `now`.
        catalog: The documents.
    """

    plan: Plan
    written: Json
    variables: Mapping[str, Json]
    catalog: Catalog

    @property
    def methods(self) -> tuple[Method, ...]:
        """The method of each call."""
        found = (self.catalog.method(call.method, call.version) for call in self.plan.calls)
        return tuple(method for method in found if method is not None)

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that the calls need, those that allow least."""
        needed = {narrowest_scope(method) for method in self.methods}
        return tuple(sorted(needed - {""}))

    @property
    def info(self) -> CassetteInfo:
        """What the cassette says of itself."""
        revisions = {
            f"{method.api}:{method.version}": str(
                raw_document(self.catalog, supplements(), method.api, method.version).get(
                    "revision", ""
                )
            )
            for method in self.methods
        }
        return CassetteInfo(
            recorded_at=str(self.variables[NOW]),
            revisions={name: revision for name, revision in sorted(revisions.items()) if revision},
            plan=self.written if isinstance(self.written, dict) else {},
        )


def prepare_capture(
    plan: Path, assignments: Sequence[str], limits: Mapping[str, float | int | None], clock: Clock
) -> PreparedCapture:
    """Read a plan, and give its variables their values.

    Args:
        plan: The file.
        assignments: `name=value`, one a variable; `now` may be given too.
        limits: Fields of `Limits` that take the place of the plan's; None does not.
        clock: Real time.

    Raises:
        MockServerError: The plan cannot be read or is wrong, or a variable is missing.
    """
    catalog = google_catalog()
    found, written = read_plan(plan, catalog)
    values = with_variables(found, assignments, rfc3339(clock()))
    try:
        parse_rfc3339(str(values[NOW]))
    except ValueError as error:
        raise MockServerError(f"--set now: {error}") from error
    changed = {name: value for name, value in limits.items() if value is not None}
    found = found.model_copy(update={"limits": found.limits.model_copy(update=changed)})
    return PreparedCapture(found, written, values, catalog)


def describe_plan(prepared: PreparedCapture) -> Iterator[str]:
    """What would be asked, one line a call.

    Yields:
        The scopes, then the calls, with references where their values are not known before.
    """
    yield f"plan {prepared.plan.name}: {len(prepared.plan.calls)} calls; scopes they need:"
    yield from (f"  {scope}" for scope in prepared.scopes)
    for call, method in zip(prepared.plan.calls, prepared.methods, strict=True):
        each = ", ".join(f"{name} of {given}" for name, given in call.for_each.items())
        yield f"{call.id}: {method.id}" + (f", for each {each}" if each else "")
        yield f"  {method.http_method} {_call_url(call, method, prepared.variables)}"
        if call.body:
            yield f"  body {orjson.dumps(_fill_known(call.body, prepared.variables)).decode()}"


def _call_url(call: PlannedCall, method: Method, known: Mapping[str, Json]) -> str:
    path, query = method.path, []
    for name, value in call.params.items():
        text = str(_fill_known(value, known))
        if name != FIELDS and method.parameters[name].location == "path":
            path = path.replace(f"{{+{name}}}", text).replace(f"{{{name}}}", text)
        else:
            query.append(f"{name}={text}")
    return method.document.root_url + path + ("?" + "&".join(query) if query else "")


def _fill_known(value: Json, known: Mapping[str, Json]) -> Json:
    """A value with those references followed that can be."""
    if isinstance(value, dict):
        return {key: _fill_known(inner, known) for key, inner in value.items()}
    if isinstance(value, list):
        return [_fill_known(inner, known) for inner in value]
    try:
        return fill_references(value, known)
    except ReferenceFailureError:
        return value


@dataclass(frozen=True)
class Credentials:
    """Whose credentials a capture uses.

    Attributes:
        file: A file of credentials; None for the application default ones.
        subject: Whom a service account acts for; empty for itself.
    """

    file: Path | None = None
    subject: str = ""


def authorize(
    credentials: Credentials, methods: Iterable[Method]
) -> Callable[[str, str], Mapping[str, str]]:
    """What makes the headers with credentials of a request, from its verb and URL.

    Raises:
        MockServerError: There are no credentials, or they are refused.
    """
    from google.auth.exceptions import GoogleAuthError

    scopes = tuple(sorted({scope for each in methods if (scope := narrowest_scope(each))}))
    found = load_credentials(credentials.file, credentials.subject, scopes)
    refresh_credentials(found, scopes)

    def headers(verb: str, url: str) -> Mapping[str, str]:
        import httplib2
        from google_auth_httplib2 import Request

        made: dict[str, str] = {}
        try:
            found.before_request(Request(httplib2.Http(timeout=30)), verb, url, made)
        except GoogleAuthError as error:
            raise credentials_error(error, scopes) from error
        return made

    return headers


def run_capture(
    prepared: PreparedCapture,
    credentials: Credentials,
    recorder: "Recorder",
    *,
    clock: Clock,
    started: Callable[[PlanStep, int, int], None],
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[CallResult]:
    """Run a plan; every answer goes to the recorder, which the caller finishes.

    Args:
        prepared: The plan.
        credentials: Whose credentials are used.
        recorder: Where interactions go.
        clock: Real time.
        started: Told of each call before it is made.
        sleep: Waits for some seconds.

    Yields:
        Each call when it was made.

    Raises:
        MockServerError: There are no credentials, or they are refused.
        LeakError: A secret would be left in what is recorded.
        CaptureError: It could not be recorded.
    """
    from google.auth.exceptions import GoogleAuthError

    from mockserver.capture.google.transport import RecordingHttp

    found = load_credentials(credentials.file, credentials.subject, prepared.scopes)
    refresh_credentials(found, prepared.scopes)
    http = RecordingHttp(found, clock)
    limits = prepared.plan.limits
    asker = MethodCaller(
        ApiClients(prepared.catalog, supplements(), http),
        http,
        recorder.record,
        Pace(limits.qps, sleep),
        retries=limits.retries,
    )
    try:
        yield from run_plan(prepared.plan, prepared.variables, prepared.catalog, asker, started)
    except GoogleAuthError as error:
        raise credentials_error(error, prepared.scopes) from error
