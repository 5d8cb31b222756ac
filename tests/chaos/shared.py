"""`understudy serve --workers`, which something strikes while clients lend books in sessions.

What was answered must be there afterwards, in its own session and in no other; a request whose
connection broke may or may not have been done, once. All that the clients of a session were
answered must be what one object would have answered, asked by one after the other.
"""

import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import httpx

from tests.chaos.faults import Fault, faults_of_files, faults_of_redis
from tests.chaos.loans import CALLER, FULL, UNAVAILABLE, Client, Counter, contradictions, loss_of
from tests.chaos.redises import Redises
from tests.chaos.runs import write_suite
from tests.chaos.servers import MockProcess
from tests.chaos.subjects import Found, Striker, Subject
from tests.patience import PATIENCE_S, wait_until

SESSIONS, CLIENTS, REQUESTS, AFTERWARDS, WORKERS = 6, 3, 8, 2, 3
LATE_S = 10.0
"""After which an answer is late, beside what the fault lasts."""

_HOUR_S = 3600.0
_LONGEST_S = 60.0
"""After which a session that does not answer well again never will."""

_TRIES = 40
_AGAIN_S = 0.05
_DONE = frozenset({404, 409})
"""What a request is answered that had its effect, and whose answer was lost."""


class _Blow:
    """A fault that strikes once, and what it is to the clients.

    Args:
        fault: The fault.
        random: Where is drawn how long it lasts.
    """

    def __init__(self, fault: Fault, random: Random) -> None:
        self._fault, self._random = fault, random
        self.lasts = random.choice(fault.lasts)
        self.over = threading.Event()
        self.since = self.until = monotonic()
        self.failed: BaseException | None = None

    def strike(self) -> None:
        """Let it begin; it ends by itself."""
        self.since = monotonic()
        try:
            end = self._fault.begin(self._random)
        except BaseException as error:  # noqa: BLE001  (told where it is waited for)
            self.failed = error
            self.over.set()
            return
        threading.Timer(self.lasts, self._finish, (end,)).start()

    def _finish(self, end: Any) -> None:
        try:
            end()
        except BaseException as error:  # noqa: BLE001  (told where it is waited for)
            self.failed = error
        self.until = monotonic()
        self.over.set()

    def wait(self) -> None:
        """Wait for its end."""
        assert self.over.wait(PATIENCE_S), "a fault that does not end"
        if self.failed is not None:
            raise self.failed


def _struck(servers: Sequence[MockProcess], fault: Fault) -> Striker:
    """What strikes while the clients of some sessions ask servers, which take turns."""

    def once(folder: Path, random: Random) -> Found:
        fault.prepare()
        sessions = [f"{folder.name}-{number}" for number in range(SESSIONS)]
        clients = [
            [
                Client(servers[n % len(servers)].url, session, f"{session}-{n}")
                for n in range(CLIENTS)
            ]
            for session in sessions
        ]
        for session in sessions:
            _control(servers[0], "POST", "/_mock/sessions", json={"id": session})
        sleep(fault.loses or 0.0)  # no fault may cost the opening of a session
        count = SESSIONS * CLIENTS * REQUESTS
        at = random.randrange(1, count)
        blow = _Blow(fault, random)
        counter = Counter(at, blow.strike)

        def work(client: Client, chance: Random) -> None:
            client.work(chance, REQUESTS, counter.note)
            blow.wait()
            client.work(chance, AFTERWARDS, counter.note)

        probes = [
            Client(server.url, session, f"{session}-probe-{number}")
            for number, server in enumerate(servers)
            for session in sessions
        ]
        everybody = SESSIONS * CLIENTS + len(probes)
        with ThreadPoolExecutor(everybody) as pool:
            back = [pool.submit(_probe, probe, blow) for probe in probes]
            working = [
                pool.submit(work, each, Random(random.random()))
                for several in clients
                for each in several
            ]
            for done in working:
                done.result()
            back_s = max(each.result() for each in back)
        problems: list[str] = []
        for number, several in enumerate(clients):
            assert any(several[0].look() for _ in range(_TRIES)), "no answer afterwards"
            several += probes[number::SESSIONS]
            lost = None
            if fault.loses is not None:
                lost = loss_of(several, blow.since, blow.until, fault.loses)
            problems += contradictions(several, lost)
        losses = [loss for several in clients for loss in _losses(several)]
        for session in sessions:
            _control(servers[0], "DELETE", f"/_mock/sessions/{session}")
        late_s = LATE_S + blow.lasts
        took = [each for several in clients for client in several for each in client.took]
        problems += [f"{what}: over after {s:.1f} s" for s, what in took if s > late_s]
        if back_s > LATE_S / 2:
            problems.append(f"it answers everybody only {back_s:.1f} s after the fault's end")
        what = f"{fault.name} for {blow.lasts:g} s after {at} of {count} requests"
        return Found(
            what, () if fault.loses is not None else tuple(losses), tuple(problems), back_s
        )

    return once


def _probe(client: Client, blow: _Blow) -> float:
    """After how many seconds a session answers again."""
    blow.wait()
    while not client.look():
        assert monotonic() - blow.until < _LONGEST_S, f"never answered well: {client.history[-1]}"
        sleep(_AGAIN_S)
    return monotonic() - blow.until


def _losses(clients: Sequence[Client]) -> Iterator[str]:
    """Loans that were answered, not brought back, and are not in the last list."""
    last = clients[0].history[-1].answer
    assert isinstance(last, tuple)
    there = {loan for loan, _ in last}
    for client in clients:
        for loan in client.ids:
            if loan not in there:
                yield f"{client.name}: {loan} was answered and is not there"


def _control(server: MockProcess, method: str, path: str, **more: object) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    answer, tries = None, 0
    while answer is None or answer.status_code in (UNAVAILABLE, FULL):
        with suppress(httpx.HTTPError):
            answer = CALLER.ask(method, server.url + path, headers, **more)
        tries += 1
        assert tries < _TRIES, answer
    is_done = tries > 1 and answer.status_code in _DONE
    assert answer.is_success or is_done, answer.text


@contextmanager
def opened(folder: Path) -> Iterator[Mapping[str, Striker]]:
    """Servers of several workers: one with logs in files, and two with logs in one Redis."""
    fixtures = write_suite(folder)
    workers = ("--workers", str(WORKERS))
    with ExitStack() as stack:
        in_files = stack.enter_context(
            MockProcess(fixtures, *workers, "--state-dir", str(folder / "state"))
        )
        strikes = {each.name: _struck((in_files,), each) for each in faults_of_files(in_files)}
        program = shutil.which("redis-server")
        if program is not None:
            places = folder / "redis", folder / "replica"
            for place in places:
                place.mkdir()
            redises = Redises(program, *places)
            stack.callback(redises.stop)
            redises.start()
            servers = [
                stack.enter_context(
                    MockProcess(fixtures, *workers, "--redis", wire.url, ahead_s=ahead)
                )
                for wire, ahead in zip(redises.wires, (0.0, _HOUR_S), strict=True)
            ]
            for server in servers:
                wait_until(server.answers, "a server that answers")
            for each in faults_of_redis(servers[0], redises):
                strikes[each.name] = _struck(servers, each)
        yield strikes


SUBJECT = Subject("shared server", opened)
