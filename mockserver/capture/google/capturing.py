"""A capture by plan, put together: plan, credentials, recorder, calls."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from mockserver.apis import APIS
from mockserver.capture.google.asking import Asker, Pace
from mockserver.capture.google.clients import Clients, narrow_scope, raw_document
from mockserver.capture.google.credentials import load_credentials, refused, renewed
from mockserver.capture.google.planfile import read_plan, with_variables
from mockserver.capture.google.plans import Plan, PlannedCall
from mockserver.capture.google.references import NOW, ReferenceFailureError, filled
from mockserver.capture.google.running import Done, Step, run_plan

if TYPE_CHECKING:
    from mockserver.capture.recorder import Recorder
from mockserver.errors import MockServerError
from mockserver.googleapi import Catalog, Method
from mockserver.model import CassetteInfo, Json, JsonObject
from mockserver.state import parse_rfc3339, rfc3339

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
class Prepared:
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
) -> Prepared:
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
    return Prepared(found, written, values, catalog)


def planned_lines(prepared: Prepared) -> Iterator[str]:
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
        return filled(value, known)
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
    prepared: Prepared,
    credentials: Credentials,
    recorder: "Recorder",
    *,
    clock: Clock,
    started: Callable[[Step, int, int], None],
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Done]:
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
    renewed(found, prepared.scopes)
    http = RecordingHttp(found, clock)
    limits = prepared.plan.limits
    asker = Asker(
        Clients(prepared.catalog, _supplements(), http),
        http,
        recorder.record,
        Pace(limits.qps, sleep),
        retries=limits.retries,
    )
    try:
        yield from run_plan(prepared.plan, prepared.variables, prepared.catalog, asker, started)
    except GoogleAuthError as error:
        raise refused(error, prepared.scopes) from error
