"""Calls that no HTTP request carries, through the emulator."""

from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.googleapi import Api, ApiError, Call
from mockserver.http.application import Application
from mockserver.model import Fault, JsonObject, SessionSpec
from mockserver.routing import Route
from mockserver.sessions.session import Session
from mockserver.settings import Settings
from mockserver.sources.dispatch import DecodedCall, Outcome

UNITS = {"customerId": "my_customer", "type": "all"}
PATH = "/google.x.v1.X/Call"


def route(app: Application, method_id: str) -> Route:
    method = app.dispatcher.routes.catalog.method(method_id)
    assert method is not None
    return app.dispatcher.routes.route_of_call(method, PATH)


class Caller:
    """Asks as a front would, and keeps what it was given to render."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self.session = app.sessions.get("default")
        self.rendered: list[JsonObject] = []
        self.unplaced: tuple[str, ...] = ()

    def ask(self, method_id: str, direct: DecodedCall, session: Session | None = None) -> Outcome:
        meant = route(self._app, method_id)
        return self._app.dispatcher.answer_decoded_call(
            session or self.session, meant, direct, self._render
        )

    def _render(self, payload: JsonObject) -> tuple[str, ...]:
        self.rendered.append(payload)
        return self.unplaced

    @property
    def journal(self) -> list[Any]:
        entries: list[Any] = self.session.journal.as_json("default")["entries"]
        return entries


@pytest.fixture
def caller(app: Application) -> Caller:
    return Caller(app)


def test_a_call_is_answered_by_the_handler_and_journalled(caller: Caller) -> None:
    caller.unplaced = ("organizationUnits.colour",)
    asked = DecodedCall(UNITS, {}, client=b"gl-python/3.11", ignored=("viewOfLife",))
    outcome = caller.ask("directory.orgunits.list", asked)
    assert (outcome.error, outcome.source, outcome.miss) == (None, "state", "")
    assert len(caller.rendered[0]["organizationUnits"]) == 2
    (entry,) = caller.journal
    assert (entry["http_method"], entry["path"], entry["status"]) == ("GRPC", PATH, 200)
    assert (entry["params"], entry["client"]) == (UNITS, "gl-python/3.11")
    assert entry["ignored"] == ("viewOfLife", "organizationUnits.colour") == outcome.ignored
    assert entry["response_bytes"] > 100


def test_a_body_is_read_by_its_schema_and_what_that_does_not_know_is_ignored(
    caller: Caller,
) -> None:
    body = {"name": "New", "parentOrgUnitPath": "/", "fromTheFuture": True}
    outcome = caller.ask(
        "directory.orgunits.insert", DecodedCall({"customerId": "my_customer"}, body)
    )
    assert outcome.ignored == ("from_the_future",)
    assert caller.rendered[0]["orgUnitPath"] == "/New"


def test_an_error_is_the_handlers_own(caller: Caller) -> None:
    asked = DecodedCall({"customerId": "my_customer", "orgUnitPath": "No"}, {})
    outcome = caller.ask("directory.orgunits.get", asked)
    assert outcome.error is not None
    assert (outcome.error.status, outcome.miss) == (404, "fixture_gap")
    assert (caller.rendered, caller.journal[0]["status"]) == ([], 404)


def test_what_cannot_be_asked_is_refused_after_a_fault(caller: Caller) -> None:
    problem = ApiError(400, "no")
    first = caller.ask("directory.orgunits.list", DecodedCall({}, {}, problem=problem))
    assert first.error is problem
    fault = Fault(method="directory.*", status=503, times=1, latency_ms=5)
    caller.session.add_fault(fault)
    second = caller.ask("directory.orgunits.list", DecodedCall({}, {}, problem=problem))
    assert second.error is not None
    assert (second.error.status, second.source, second.delay_ms) == (503, "fault", 5)


def test_a_call_that_no_stub_is_for_is_a_miss(caller: Caller, app: Application) -> None:
    session = app.sessions.open(SessionSpec(sources=("stub",)))
    outcome = caller.ask("directory.orgunits.list", DecodedCall(UNITS, {}), session)
    assert outcome.error is not None
    assert (outcome.error.status, outcome.source) == (404, "none")


def test_a_closed_session_refuses(caller: Caller, app: Application) -> None:
    session = app.sessions.open(SessionSpec(id="s1"))
    app.sessions.close("s1")
    outcome = caller.ask("directory.orgunits.list", DecodedCall(UNITS, {}), session)
    assert outcome.error is not None
    assert (outcome.error.status, outcome.source) == (410, "none")
    assert session.journal.as_json("s1")["entries"][0]["after_close"] is True


def test_a_token_of_another_session_is_refused(caller: Caller) -> None:
    outcome = caller.ask(
        "directory.orgunits.list", DecodedCall(UNITS, {}, token="ya29.mock~other~0")
    )
    assert outcome.error is not None
    assert outcome.error.status == 401


def broken(call: Call) -> JsonObject:
    raise RuntimeError("a defect")


def streaming(call: Call) -> Any:
    return iter([{"n": 1}, {}])


def test_a_defect_is_500_and_a_stream_is_handed_out() -> None:
    documents = (("admin", "directory_v1"),)
    handlers: Any = {"directory.users.get": broken, "directory.users.list": streaming}
    api = Api(name="directory", documents=documents, handlers=handlers)
    now = datetime(2026, 3, 2, tzinfo=UTC)
    app = Application(Settings(default=SessionSpec()), real=lambda: now, apis=[api])
    caller = Caller(app)
    outcome = caller.ask("directory.users.get", DecodedCall({"userKey": "a"}, {}))
    assert outcome.error is not None
    assert outcome.error.status == 500
    streamed = caller.ask("directory.users.list", DecodedCall({}, {}))
    assert list(streamed.stream or ()) == [{"n": 1}, {}]
    assert [entry["status"] for entry in caller.journal] == [500, 200]
    assert caller.rendered == []


def test_the_table_of_apis_is_the_one_that_is_served(app: Application) -> None:
    assert app.dispatcher.routes.apis == tuple(APIS)


@pytest.mark.parametrize(
    ("outcome", "plain"),
    [
        (Outcome(1, None, 0, "state"), True),
        (Outcome(1, None, 0, "synthesis"), False),
        (Outcome(1, None, 5, "state"), False),
        (Outcome(1, None, 0, "state", ("name",)), False),
        (Outcome(1, ApiError(404, "no"), 0, "state"), False),
    ],
    ids=["plain", "source", "delay", "ignored", "error"],
)
def test_a_plain_outcome_has_nothing_to_tell_beside_its_answer(
    outcome: Outcome, plain: bool
) -> None:
    assert outcome.is_plain is plain


UNITS_URL = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"


def test_a_stub_answers_a_call_without_http(caller: Caller, app: Application) -> None:
    session = app.sessions.open(SessionSpec(id="stubbed"))
    body = {"organizationUnits": [{"name": "Of the stub"}]}
    session.add_stub(
        {"method": "GET", "url": UNITS_URL, "status": 200, "headers": {}, "body": body}
    )
    caller.ask("directory.orgunits.list", DecodedCall(UNITS, {}), session)
    assert caller.rendered == [body]
    assert [entry.source for entry in session.journal.entries()] == ["control", "stub"]
    caller.ask("directory.users.list", DecodedCall({"customer": "my_customer"}, {}), session)
    assert session.journal.entries()[-1].source == "state"
