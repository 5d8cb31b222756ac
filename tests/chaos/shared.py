"""`mockserver serve --workers`, of which something is killed while clients write to sessions.

What was answered must be there afterwards, in its own session and in no other; a request whose
connection broke may or may not have been done.
"""

import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import httpx

from tests.chaos.runs import write_suite
from tests.chaos.servers import MockProcess
from tests.chaos.subjects import Found, Striker, Subject
from tests.patience import PATIENCE_S, wait_until
from tests.redis_servers import RedisServer

SESSIONS, WRITES, WORKERS = 6, 20, 3
LATE_S = 10.0
"""After which an answer is late, beside what the strike lasts."""


_PAUSE_S = 12.0
"""The longest that something stands still: longer than a server waits."""

_DURABLE = ("--appendfsync", "always")
"""Redis writes each command to the disk before it answers."""


@dataclass
class Writer:
    """A client that lends books in a session of its own.

    Attributes:
        session: The session's id.
        answered: Member to the id of the loan that was answered.
        broken: Members whose requests ended without an answer.
        late: How long requests took that took too long.
    """

    session: str
    answered: dict[str, str] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    late: list[str] = field(default_factory=list)

    def write(self, url: str, note: Callable[[], None], patience: float) -> None:
        """Make all loans, each asked for once."""
        loans = f"{url}/s/{self.session}/api.library.example.com/v1/loans"
        for number in range(WRITES):
            member = f"{self.session}-{number}"
            asked = {"bookId": "BK2", "member": member}
            began = monotonic()
            try:
                answer = httpx.post(
                    loans, json=asked, headers=_KEY, timeout=PATIENCE_S, trust_env=False
                )
                if answer.is_success:
                    self.answered[member] = answer.json()["id"]
                else:
                    self.broken.add(member)
            except httpx.HTTPError:
                self.broken.add(member)
            took = monotonic() - began
            if took > patience:
                self.late.append(f"{member}: over after {took:.1f} s")
            note()

    def problems(self, url: str) -> Iterator[tuple[bool, str]]:
        """What is wrong with the loans of its session: whether it is a loss, and what."""
        loans = f"{url}/s/{self.session}/api.library.example.com/v1/loans"
        answer = _ask("GET", loans, _KEY)
        for _ in range(_TRIES):
            if answer.status_code != _UNAVAILABLE:
                break
            answer = _ask("GET", loans, _KEY)
        listed = answer.raise_for_status().json()
        found = {loan["member"]: loan["id"] for loan in listed}
        for member, loan in self.answered.items():
            if found.get(member) != loan:
                yield True, f"{member}: {loan} was answered, {found.get(member)} is there"
        for member in found.keys() - self.answered.keys() - self.broken:
            yield False, f"{member} is in session {self.session}, and nobody asked for it"
        if len(found) != len(listed):
            yield False, f"session {self.session} has a loan twice"


_KEY = {"X-Api-Key": "demo-key"}
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
    server: MockProcess, what: str, strike: Callable[[Random], None], lasts: float = 0.0
) -> Striker:
    """What strikes while the writers write.

    Args:
        server: Where they write.
        what: What is done to it.
        strike: Does it.
        lasts: How long it lasts by itself, in seconds: an answer may take so much longer.
    """

    def once(folder: Path, random: Random) -> Found:
        writers = [Writer(f"{folder.name}-{number}") for number in range(SESSIONS)]
        for writer in writers:
            _control(server, "POST", "/_mock/sessions", json={"id": writer.session})
        at = random.randrange(1, SESSIONS * WRITES)
        counter = _Counter(at, lambda: strike(random))
        with ThreadPoolExecutor(SESSIONS) as pool:
            tell, patience = counter.note, LATE_S + lasts
            running = [pool.submit(each.write, server.url, tell, patience) for each in writers]
            for done in running:
                done.result()
        wait_until(server.answers, "a server that answers again")
        problems = [problem for each in writers for problem in each.problems(server.url)]
        for writer in writers:
            _control(server, "DELETE", f"/_mock/sessions/{writer.session}")
        losses = tuple(text for is_loss, text in problems if is_loss)
        late = [text for each in writers for text in each.late]
        others = (*(text for is_loss, text in problems if not is_loss), *late)
        return Found(f"{what} after {at} of {SESSIONS * WRITES} writes", losses, others)

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


def _pause_redis(redis: RedisServer) -> Callable[[Random], None]:
    def strike(random: Random) -> None:
        redis.pause()
        threading.Timer(random.uniform(1, _PAUSE_S), redis.resume).start()

    return strike


def _workers(server: MockProcess) -> list[int]:
    assert server.process is not None
    pid = server.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(child) for child in children.split()]


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
        strikes["worker kill -9, files"] = _struck(
            in_files, "worker killed, logs in files", _kill_a_worker(in_files)
        )
        strikes["server kill -9, files"] = _struck(
            in_files, "server killed, logs in files", _restart(in_files)
        )
        program = shutil.which("redis-server")
        if program is None:
            yield strikes
            return
        redis = RedisServer(program, folder, *_DURABLE)
        redis.start()
        try:
            with MockProcess(fixtures, *workers, "--redis", redis.url) as in_redis:
                strikes["worker kill -9, Redis"] = _struck(
                    in_redis, "worker killed, logs in Redis", _kill_a_worker(in_redis)
                )
                strikes["server kill -9, Redis"] = _struck(
                    in_redis, "server killed, logs in Redis", _restart(in_redis)
                )
                strikes["worker stands still, Redis"] = _struck(
                    in_redis, "worker stopped", _pause_a_worker(in_redis), _PAUSE_S
                )
                strikes["Redis stands still"] = _struck(
                    in_redis, "Redis stopped", _pause_redis(redis), _PAUSE_S
                )
                strikes["Redis kill -9"] = _struck(in_redis, "Redis killed", _restart_redis(redis))
                yield strikes
        finally:
            redis.stop()


SUBJECT = Subject("shared server", opened)
