"""`understudy serve --workers`, of which something is killed while clients write to sessions.

What was answered must be there afterwards, in its own session and in no other; a request whose
connection broke may or may not have been done, once. All that the clients of a session were
answered must be what one object would have answered, asked by one after the other.
"""

import os
import shutil
import signal
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import httpx

from tests.chaos.histories import Operation, contradiction
from tests.chaos.processes import children_of
from tests.chaos.runs import write_suite
from tests.chaos.servers import MockProcess
from tests.chaos.subjects import Found, Striker, Subject
from tests.chaos.wire import Wire
from tests.patience import PATIENCE_S, wait_until
from tests.redis_servers import RedisServer

SESSIONS, CLIENTS, REQUESTS, WORKERS = 6, 3, 8, 3
LATE_S = 10.0
"""After which an answer is late, beside what the strike lasts."""


_PAUSE_S = 12.0
"""The longest that something stands still: longer than a server waits."""

_DURABLE = ("--appendfsync", "always")
"""Redis writes each command to the disk before it answers."""


@dataclass(frozen=True)
class Client:
    """One of several that lend books, bring them back and list them in one session.

    Attributes:
        url: The server that it asks.
        session: The session's id.
        name: Its own name, unlike those of the session's other clients.
        patience: After how many seconds an answer is late.
        history: What it asked and what it was answered.
        ids: Member to the id of the loan that was answered.
        late: How long requests took that took too long.
    """

    url: str
    session: str
    name: str
    patience: float
    history: list[Operation] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)

    def work(self, random: Random, note: Callable[[], None]) -> None:
        """Ask for what chance says, each once."""
        for number in range(REQUESTS):
            member, brought_back = f"{self.name}-{number}", random.choice([*self.ids, None])
            verb = random.choices(("lend", "list", "return"), (5, 3, 2))[0]
            if verb == "lend":
                self._ask("lend", member, "POST", "", {"bookId": "BK2", "member": member})
            elif verb == "list" or brought_back is None:
                self._ask("list", "", "GET", "")
            else:
                self._ask("return", brought_back, "DELETE", f"/{self.ids.pop(brought_back)}")
            note()

    def look(self) -> dict[str, str]:
        """What is lent afterwards: the loans by member; it is the last of the history."""
        answer = self._ask("list", "", "GET", "")
        for _ in range(_TRIES):
            if answer is not None and answer.status_code != _UNAVAILABLE:
                break
            answer = self._ask("list", "", "GET", "")
        assert answer is not None, "a server that answers again does not answer"
        return {loan["member"]: loan["id"] for loan in answer.raise_for_status().json()}

    def _ask(
        self, verb: str, member: str, method: str, path: str, body: object = None
    ) -> httpx.Response | None:
        loans = f"{self.url}/s/{self.session}/api.library.example.com/v1/loans{path}"
        asked, answer, said = monotonic(), None, None
        with suppress(httpx.HTTPError):
            answer = _ask(method, loans, KEY, json=body)
        ended = monotonic()
        if answer is not None and answer.status_code != _UNAVAILABLE:
            said = _said(answer)
            if verb == "lend" and answer.is_success:
                self.ids[member] = answer.json()["id"]
        request = (verb, member)
        self.history.append(
            Operation(self.name, request, said, asked, ended if said is not None else inf)
        )
        if ended - asked > self.patience:
            self.late.append(f"{self.name}, {verb} {member}: over after {ended - asked:.1f} s")
        return answer


def _said(answer: httpx.Response) -> Hashable:
    """An answer in the words of `loans`."""
    if answer.request.method == "GET" and answer.is_success:
        return tuple(loan["member"] for loan in answer.json())
    return {201: "done", 204: "done", 404: "missing"}.get(
        answer.status_code, f"{answer.status_code}: {answer.text[:80]}"
    )


def loans(state: Hashable, request: Hashable) -> tuple[Hashable, Hashable]:
    """The loans of a session as an object: who has a book, in the order of the loans."""
    assert isinstance(state, tuple)
    assert isinstance(request, tuple)
    verb, member = request
    if verb == "lend":
        return (*state, member), "done"
    if verb == "list":
        return state, state
    if member in state:
        return tuple(each for each in state if each != member), "done"
    return state, "missing"


def is_read(request: Hashable) -> bool:
    """Whether a request to `loans` changes nothing."""
    return request == ("list", "")


def problems_of(clients: Sequence[Client]) -> Iterator[tuple[bool, str]]:
    """What is wrong with the answers of a session: whether it is a loss, and what."""
    found = clients[0].look()
    for client in clients:
        for member, loan in client.ids.items():
            if found.get(member) != loan:
                yield True, f"{member}: {loan} was answered, {found.get(member)} is there"
    history = [each for client in clients for each in client.history]
    for line in contradiction(history, loans, (), is_read):
        yield False, f"session {clients[0].session}, no order explains: {line}"


KEY = {"X-Api-Key": "demo-key"}
_UNAVAILABLE, _TRIES = 503, 20
"""A server whose Redis does not answer says so, and clients ask again."""
_DONE = frozenset({404, 409})
"""What a request is answered that had its effect, and whose answer was lost."""


class _Counter:
    """Counts what all writers have done, and strikes once at a number of it."""

    def __init__(self, at: int, strike: Callable[[], None]) -> None:
        self._at, self._strike, self._done = at, strike, 0
        self._lock = threading.Lock()

    def note(self) -> None:
        """One more request is over."""
        with self._lock:
            self._done += 1
            if self._done == self._at:
                self._strike()


def _struck(
    servers: Sequence[MockProcess],
    what: str,
    strike: Callable[[Random], None],
    lasts: float = 0.0,
) -> Striker:
    """What strikes while the writers write.

    Args:
        servers: Where they write; their clients take turns.
        what: What is done to it.
        strike: Does it.
        lasts: How long it lasts by itself, in seconds: an answer may take so much longer.
    """

    def once(folder: Path, random: Random) -> Found:
        sessions = [f"{folder.name}-{number}" for number in range(SESSIONS)]
        clients = [
            [
                Client(servers[n % len(servers)].url, session, f"{session}-{n}", LATE_S + lasts)
                for n in range(CLIENTS)
            ]
            for session in sessions
        ]
        for session in sessions:
            _control(servers[0], "POST", "/_mock/sessions", json={"id": session})
        count = SESSIONS * CLIENTS * REQUESTS
        at = random.randrange(1, count)
        counter = _Counter(at, lambda: strike(random))
        with ThreadPoolExecutor(SESSIONS * CLIENTS) as pool:
            running = [
                pool.submit(each.work, Random(random.random()), counter.note)
                for several in clients
                for each in several
            ]
            for done in running:
                done.result()
        for server in servers:
            wait_until(server.answers, "a server that answers again")
        problems = [problem for several in clients for problem in problems_of(several)]
        for session in sessions:
            _control(servers[0], "DELETE", f"/_mock/sessions/{session}")
        losses = tuple(text for is_loss, text in problems if is_loss)
        late = [text for several in clients for each in several for text in each.late]
        others = (*(text for is_loss, text in problems if not is_loss), *late)
        return Found(f"{what} after {at} of {count} requests", losses, others)

    return once


def _control(server: MockProcess, method: str, path: str, **more: object) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    first = answer = _ask(method, server.url + path, headers, **more)
    for _ in range(_TRIES):
        if answer.status_code != _UNAVAILABLE:
            break
        answer = _ask(method, server.url + path, headers, **more)
    is_done = answer is not first and answer.status_code in _DONE
    assert answer.is_success or is_done, answer.text


def _ask(method: str, url: str, headers: Mapping[str, str], **more: Any) -> httpx.Response:
    return httpx.request(method, url, headers=headers, timeout=PATIENCE_S, trust_env=False, **more)


def _kill_a_worker(server: MockProcess) -> Callable[[Random], None]:
    def strike(random: Random) -> None:
        os.kill(random.choice(_workers(server)), signal.SIGKILL)

    return strike


def _pause_a_worker(server: MockProcess) -> Callable[[Random], None]:
    def strike(random: Random) -> None:
        pid = random.choice(_workers(server))
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(random.uniform(1, _PAUSE_S), os.kill, (pid, signal.SIGCONT)).start()

    return strike


def _pause(begin: Callable[[], None], end: Callable[[], None]) -> Callable[[Random], None]:
    def strike(random: Random) -> None:
        begin()
        threading.Timer(random.uniform(1, _PAUSE_S), end).start()

    return strike


def _workers(server: MockProcess) -> list[int]:
    assert server.process is not None
    return children_of(server.process.pid)


def _restart(server: MockProcess) -> Callable[[Random], None]:
    def strike(_: Random) -> None:
        server.kill()
        server.start()

    return strike


def _restart_redis(redis: RedisServer) -> Callable[[Random], None]:
    def strike(_: Random) -> None:
        redis.stop()
        redis.start()

    return strike


@contextmanager
def opened(folder: Path) -> Iterator[Mapping[str, Striker]]:
    """Servers of several workers: one with logs in files, one with logs in Redis."""
    fixtures = write_suite(folder)
    strikes: dict[str, Striker] = {}
    workers = ("--workers", str(WORKERS))
    with MockProcess(fixtures, *workers, "--state-dir", str(folder / "state")) as in_files:
        for name, kill in (("worker", _kill_a_worker), ("server", _restart)):
            strikes[f"{name} kill -9, files"] = _struck(
                (in_files,), f"{name} killed, logs in files", kill(in_files)
            )
        program = shutil.which("redis-server")
        if program is None:
            yield strikes
            return
        redis = RedisServer(program, folder, *_DURABLE)
        redis.start()
        wire = Wire(redis.port)
        wire.start()
        here = (*workers, "--redis", redis.url)
        there = (*workers, "--redis", f"redis://127.0.0.1:{wire.port}/0")
        try:
            with MockProcess(fixtures, *here) as one, MockProcess(fixtures, *there) as other:
                for name, lasts, strike in (
                    ("worker kill -9, Redis", 0.0, _kill_a_worker(one)),
                    ("server kill -9, Redis", 0.0, _restart(one)),
                    ("worker stands still, Redis", _PAUSE_S, _pause_a_worker(one)),
                    ("Redis stands still", _PAUSE_S, _pause(redis.pause, redis.resume)),
                    ("Redis kill -9", 0.0, _restart_redis(redis)),
                    ("Redis is slow", _PAUSE_S, _pause(wire.slow_down, wire.recover)),
                    ("Redis is cut off", _PAUSE_S, _pause(wire.fall_silent, wire.recover)),
                    ("connections break", _PAUSE_S, _pause(wire.cut, wire.recover)),
                ):
                    strikes[name] = _struck((one, other), name, strike, lasts)
                yield strikes
        finally:
            wire.stop()
            redis.stop()


SUBJECT = Subject("shared server", opened)
