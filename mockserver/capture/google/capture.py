"""A capture by plan, put together: plan, credentials, recorder, calls."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from mockserver.apis import APIS
from mockserver.capture.google.calls import Clients, MethodCaller, Pace, narrow_scope, raw_document
from mockserver.capture.google.plans import (
    NOW,
    Plan,
    PlannedCall,
    ReferenceFailureError,
    fill_references,
    read_plan,
    with_variables,
)
from mockserver.capture.google.runs import CallResult, PlanStep, run_plan
from mockserver.errors import FormatError, MockServerError
from mockserver.googleapi import Catalog, Method
from mockserver.model import CassetteInfo, Json, JsonObject
from mockserver.state import parse_rfc3339, rfc3339
from mockserver.storage import read_object

if TYPE_CHECKING:
    from mockserver.capture.recorder import Recorder


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
        found = _default(scopes) if file is None else _of_file(file, scopes)
    except (GoogleAuthError, FormatError, OSError, ValueError) as error:
        where = "application default credentials" if file is None else str(file)
        raise MockServerError(
            f"no credentials: {where} cannot be used: {_said(error)}", hint=_advice(scopes)
        ) from error
    if not subject:
        return found
    if not hasattr(found, "with_subject"):
        raise MockServerError(
            "--subject needs a service account with domain-wide delegation",
            hint="name its key with --credentials FILE",
        )
    return found.with_subject(subject)


def _default(scopes: Sequence[str]) -> Any:
    import google.auth

    auth: Any = google.auth  # partly typed
    return auth.default(scopes=list(scopes))[0]


def _of_file(file: Path, scopes: Sequence[str]) -> Any:
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


def renew(credentials: Any, scopes: Sequence[str]) -> None:
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
        raise refusal_of(error, scopes) from error


def refusal_of(error: Exception, scopes: Sequence[str]) -> MockServerError:
    """The error of credentials that are not accepted."""
    return MockServerError(f"the credentials were refused: {_said(error)}", hint=_advice(scopes))


def _said(error: Exception) -> str:
    """The first line of what went wrong; an authorization server's answer may hold more."""
    return str(error.args[0] if error.args else error).strip().splitlines()[0][:300]


def _advice(scopes: Sequence[str]) -> str:
    listed = ",".join(scopes)
    return (
        f"`gcloud auth application-default login --scopes={listed}`, or --credentials with a"
        " service account's key that was granted these scopes"
    )


Clock = Callable[[], datetime]


def google_catalog() -> Catalog:
    """The documents of every API, those of the emulated ones first."""
    return Catalog(
        preferred=[document for api in APIS for document in api.documents],
        supplements=_supplements(),
    )


def _supplements() -> list[JsonObject]:
    return [document for api in APIS for document in api.supplements]


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
        needed = {narrow_scope(method) for method in self.methods}
        return tuple(sorted(needed - {""}))

    @property
    def info(self) -> CassetteInfo:
        """What the cassette says of itself."""
        revisions = {
            f"{method.api}:{method.version}": str(
                raw_document(self.catalog, _supplements(), method.api, method.version).get(
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


def prepare(
    plan: Path, given: Sequence[str], limits: Mapping[str, float | int | None], clock: Clock
) -> PreparedCapture:
    """Read a plan, and give its variables their values.

    Args:
        plan: The file.
        given: `name=value`, one a variable; `now` may be given too.
        limits: Fields of `Limits` that take the place of the plan's; None does not.
        clock: Real time.

    Raises:
        MockServerError: The plan cannot be read or is wrong, or a variable is missing.
    """
    catalog = google_catalog()
    found, written = read_plan(plan, catalog)
    values = with_variables(found, given, rfc3339(clock()))
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
        yield f"  {method.http_method} {_address(call, method, prepared.variables)}"
        if call.body:
            yield f"  body {orjson.dumps(_shown(call.body, prepared.variables)).decode()}"


def _address(call: PlannedCall, method: Method, known: Mapping[str, Json]) -> str:
    path, query = method.path, []
    for name, value in call.params.items():
        text = str(_shown(value, known))
        if method.parameters[name].location == "path":
            path = path.replace(f"{{+{name}}}", text).replace(f"{{{name}}}", text)
        else:
            query.append(f"{name}={text}")
    return method.document.root_url + path + ("?" + "&".join(query) if query else "")


def _shown(value: Json, known: Mapping[str, Json]) -> Json:
    """A value with those references followed that can be."""
    if isinstance(value, dict):
        return {key: _shown(inner, known) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shown(inner, known) for inner in value]
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


def capture(
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
    renew(found, prepared.scopes)
    http = RecordingHttp(found, clock)
    limits = prepared.plan.limits
    asker = MethodCaller(
        Clients(prepared.catalog, _supplements(), http),
        http,
        recorder.record,
        Pace(limits.qps, sleep),
        retries=limits.retries,
    )
    try:
        yield from run_plan(prepared.plan, prepared.variables, prepared.catalog, asker, started)
    except GoogleAuthError as error:
        raise refusal_of(error, prepared.scopes) from error
