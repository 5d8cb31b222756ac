"""Calls of other transports answered from recordings; see also the tests of the gRPC front."""

from pathlib import Path

import pytest

from mockserver.apis import APIS
from mockserver.cassettes.files import write_cassette
from mockserver.model import (
    Cassette,
    Interaction,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
    SessionSpec,
)
from mockserver.routing import Route, Routes
from mockserver.sessions.recordings import Replay
from mockserver.sessions.session import Session
from mockserver.sources.cassette import RpcRequest
from mockserver.sources.dispatch import Dispatcher, RecordedOutcome
from tests.mockserver.fronts.grpc.conftest import application

PATH = "/shop.v1.Carts/Get"
ROUTE = Route("GRPC", "", PATH, journal_path=PATH, method_id="shop.v1.Carts.Get")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    recorded = tuple(
        Interaction(
            RecordedRequest("POST", f"https://{host}{PATH}", (), body), RecordedResponse(200)
        )
        for host, body in (("a.example.com", b'{"id": 1}'), ("b.example.com", b'{"id": 2}'))
    )
    write_cassette(Cassette("c.yaml", recorded), tmp_path / "c.yaml")
    app = application(cassettes=(tmp_path / "c.yaml",), default=SessionSpec(cassettes=("c",)))
    found = app.sessions.find("default")
    assert found is not None
    return found


def ask(session: Session, path: str, body: bytes) -> RecordedOutcome:
    assert session.replay is not None
    dispatcher = Dispatcher(Routes(APIS), url="http://127.0.0.1:8765")
    return dispatcher.answer_recorded_call(
        session, session.replay, ROUTE, RpcRequest(path, body, ())
    )


@pytest.mark.parametrize(
    ("body", "told"), [(b'{"id": 1}', "c#1"), (b'{"id": 2}', "c#2")], ids=["first", "second"]
)
def test_whichever_host_has_the_recording_answers(session: Session, body: bytes, told: str) -> None:
    found = ask(session, PATH, body)
    assert found.outcome.error is None
    assert found.label.removesuffix(".yaml") in {told, told.replace("#", ".yaml#")}
    assert found.outcome.source == "cassette"


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [(PATH, b'{"id": 3}', "body.id"), ("/none.Service/Call", b"{}", "no cassette of this session")],
    ids=["other body", "other path"],
)
def test_what_was_not_recorded_is_a_miss(
    session: Session, path: str, body: bytes, said: str
) -> None:
    found = ask(session, path, body)
    assert found.interaction is None
    assert found.outcome.miss == "replay_miss"
    (entry,) = session.journal.as_json("default")["entries"]
    miss: JsonObject = entry["miss"]
    assert said in f"{miss['reason']} {miss['differs']}"


def test_a_defect_is_an_internal_error_and_journalled(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(Replay, "play", broken)
    found = ask(session, PATH, b'{"id": 1}')
    assert found.outcome.error is not None
    assert found.outcome.error.status == 500
