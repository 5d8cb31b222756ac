import errno
import logging
import os
import resource
import socket
from pathlib import Path

import pytest

from mockserver.errors import FormatError
from mockserver.http import descriptors
from mockserver.http.application import Application
from mockserver.http.descriptors import REFUSAL, RESERVE, DescriptorWatch
from mockserver.model import SessionReport, SessionSpec
from tests.mockserver.conftest import UNITS, write_suite
from tests.mockserver.http.connections import Connection
from tests.mockserver.http.test_fast_protocol import LIST, make
from tests.mockserver.shared.processes import client_of


class Witness:
    def __init__(self) -> None:
        self.problems: list[str] = []

    def note_problem(self, problem: str) -> None:
        self.problems.append(problem)


@pytest.fixture
def witness() -> Witness:
    return Witness()


@pytest.mark.parametrize(("short_of", "admitted"), [(RESERVE + 1, True), (RESERVE, False)])
def test_the_last_descriptors_are_for_no_connection(
    witness: Witness, monkeypatch: pytest.MonkeyPatch, short_of: int, *, admitted: bool
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1000, 2000))
    assert DescriptorWatch(witness).admits(1000 - short_of) is admitted
    assert bool(witness.problems) is not admitted


def test_without_a_limit_there_are_always_some(
    witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
    assert DescriptorWatch(witness).admits(1_000_000)


def test_it_is_told_once_for_each_time(
    witness: Witness, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watch = DescriptorWatch(witness)
    left = [True, False, False, True, False]

    def open_(*_: object) -> int:
        if left.pop(0):
            return real(os.devnull, os.O_RDONLY)
        raise OSError(errno.EMFILE, "")

    real = os.open
    monkeypatch.setattr(os, "open", open_)
    with caplog.at_level(logging.ERROR):
        for _ in tuple(left):
            watch.look()
    assert len(witness.problems) == 3
    assert len(caplog.messages) == 2
    assert "ulimit -n" in caplog.messages[0]


def test_another_error_is_another_problem(
    witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_(*_: object) -> int:
        raise OSError(errno.ENOENT, "")

    monkeypatch.setattr(os, "open", open_)
    DescriptorWatch(witness).look()
    assert witness.problems == []


async def test_a_connection_too_many_is_refused_in_words_and_open_sessions_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    application = make(write_suite(tmp_path / "suite"))
    sessions = application.sessions
    sessions.open(SessionSpec(id="before"))
    monkeypatch.setattr(descriptors, "_limit", lambda: RESERVE)
    with socket.socket() as accepted:
        connection = Connection(application)
        monkeypatch.setattr(connection.transport, "get_extra_info", lambda *_: accepted)
        connection.protocol.connection_made(connection.transport)
    assert connection.transport.written == REFUSAL
    assert connection.transport.closed
    sessions.open(SessionSpec(id="after"))
    reports = {name: sessions.close(name) for name in ("before", "after")}
    assert "no descriptors left" in SessionReport.model_validate(reports["before"]).problem
    assert "problem" not in reports["after"]


async def test_others_are_answered(tmp_path: Path) -> None:
    connection = Connection(make(write_suite(tmp_path / "suite")))
    with socket.socket() as accepted:
        connection.transport.get_extra_info = lambda *_: accepted  # type: ignore[method-assign]
        connection.protocol.connection_made(connection.transport)
    assert (await connection.send(LIST)).startswith(b"HTTP/1.1 200 ")


def no_file(*_: object, **__: object) -> object:
    raise OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize("wrapped", [False, True])
async def test_a_session_that_cannot_be_opened_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, wrapped: bool
) -> None:
    application = make(write_suite(tmp_path / "suite"))
    application.sessions.open(SessionSpec(id="before"))

    def open_(_: SessionSpec) -> object:
        try:
            return no_file()
        except OSError as error:
            if wrapped:
                raise FormatError("a file", "cannot be read") from error
            raise

    monkeypatch.setattr(application.sessions, "open", open_)
    async with client_of(application) as client:
        answer = await client.post("/_mock/sessions", json={})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert "no descriptors left" in answer.json()["error"]["message"]
        closed = await client.delete("/_mock/sessions/before")
    assert "no descriptors left" in closed.json()["problem"]


@pytest.mark.parametrize("place", ["routes", "handler"])
async def test_so_is_a_request_that_needs_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    application = make(write_suite(tmp_path / "suite"))
    application.sessions.open(SessionSpec(id="one"))
    if place == "routes":
        monkeypatch.setattr(Application, "_refusal", no_file)
    else:
        monkeypatch.setattr(application.dispatcher, "make_call", no_file)
    async with client_of(application) as client:
        answer = await client.get(f"/s/one{UNITS}")
        closed = await client.delete("/_mock/sessions/one")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert "no descriptors left" in answer.json()["error"]["message"]
    assert "no descriptors left" in closed.json()["problem"]


@pytest.mark.parametrize("path", ["/_mock/sessions", f"/s/one{UNITS}"])
async def test_other_errors_of_the_machine_are_no_shortage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def fail(*_: object) -> object:
        raise OSError(errno.EIO, "Input/output error")

    application = make(write_suite(tmp_path / "suite"))
    monkeypatch.setattr(Application, "_refusal", fail)
    monkeypatch.setattr(application.sessions, "open", fail)
    async with client_of(application) as client:
        if path.startswith("/_mock/"):  # the control API answers what it logged
            answer = await client.post(path, json={})
            assert (answer.status_code, "retry-after" in answer.headers) == (500, False)
            return
        with pytest.raises(OSError, match="Input/output"):
            await client.post(path, json={})


def test_what_the_log_needs_can_be_loaded_when_nothing_is_left(
    witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, free = DescriptorWatch(witness), []
    watch.keep_spare()
    before = len([*Path("/proc/self/fd").iterdir()])
    monkeypatch.setattr(
        descriptors._log, "error", lambda *_: free.append(len([*Path("/proc/self/fd").iterdir()]))
    )
    watch.tell()
    assert free == [before - 1]
    assert len([*Path("/proc/self/fd").iterdir()]) == before
    assert watch._spare is not None
    os.close(watch._spare)
