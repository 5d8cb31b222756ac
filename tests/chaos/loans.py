"""Clients that lend books in one session and note what they are answered, and what loans are.

Loans are an object that a checker can hold against the answers: each loan has the number after that
of the one before, whoever made it, and a list has all of them in that order.
"""

import threading
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from random import Random
from time import monotonic
from typing import Any

import httpx

from tests.chaos.histories import Operation, contradiction
from tests.patience import PATIENCE_S

KEY = {"X-Api-Key": "demo-key"}
UNAVAILABLE, FULL = 503, 507
"""Nobody knows whether it was done; it was not done."""

LIST = ("list", "")
START = ((0, ()),)
"""No loan was made; the states of `loans` so far, the latest last."""


def lasting_loans(states: Hashable, request: Hashable) -> Iterable[tuple[Hashable, Hashable]]:
    """The same as `loans`, where nothing is lost, so that only the latest state counts."""
    return [(found[-1:], answer) for found, answer in loans(states, request)]  # type: ignore[index]


def loans(states: Hashable, request: Hashable) -> Iterable[tuple[Hashable, Hashable]]:
    """The loans of a session: a request changes the latest state, or loses what was latest.

    Args:
        states: All states so far: how many loans there were, and id and member of those that are.
        request: `lend` a member, `return` an id, `list`, or `lose` all after some number of loans.
    """
    assert isinstance(states, tuple)
    assert isinstance(request, tuple)
    verb, what = request
    count, lent = states[-1]
    if verb == "lend":
        made = f"L{count + 1}"
        return [((*states, (count + 1, (*lent, (made, what)))), made)]
    if verb == "list":
        return [(states, lent)]
    if verb == "lose":
        kept = (states[:end] for end in range(len(states), 0, -1))
        return [(each, "lost") for each in kept if each[-1][0] >= what]
    left = tuple(each for each in lent if each[0] != what)
    return [(states, "missing")] if left == lent else [((*states, (count, left)), "done")]


def is_read(request: Hashable) -> bool:
    """Whether a request to `loans` changes nothing."""
    return request == LIST


class Caller:
    """Asks servers, on a connection for each request; threads may share it."""

    def __init__(self) -> None:
        self._client = httpx.Client(
            timeout=PATIENCE_S,
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def ask(self, method: str, url: str, headers: Mapping[str, str], **more: Any) -> httpx.Response:
        """Send one request."""
        return self._client.request(method, url, headers=headers, **more)


CALLER = Caller()


@dataclass(frozen=True)
class Client:
    """One of several that lend books, bring them back and list them in one session.

    Attributes:
        url: The server that it asks.
        session: The session's id.
        name: Its own name, unlike those of the session's other clients.
        history: What it asked and what it was answered.
        ids: The loans that it made and did not bring back.
        wrong: What it saw that no server may answer.
        took: How long each request took, in seconds, with words for it.
    """

    url: str
    session: str
    name: str
    history: list[Operation] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    took: list[tuple[float, str]] = field(default_factory=list)

    def work(self, random: Random, requests: int, note: Callable[[], None]) -> None:
        """Ask for what chance says, each once."""
        for _ in range(requests):
            verb = random.choices(("lend", "list", "return"), (5, 3, 2))[0]
            if verb == "lend":
                member = f"{self.name}-{len(self.history)}"
                self.ask("lend", member, "POST", "", {"bookId": "BK2", "member": member})
            elif verb == "list" or not self.ids:
                self.look()
            else:
                brought_back = self.ids.pop(random.randrange(len(self.ids)))
                self.ask("return", brought_back, "DELETE", f"/{brought_back}")
            note()

    def look(self) -> bool:
        """List what is lent; whether that was answered."""
        answer = self.ask(*LIST, "GET", "")
        return answer is not None and answer.is_success

    def ask(
        self, verb: str, what: str, method: str, path: str, body: object = None
    ) -> httpx.Response | None:
        """Send one request, and note what comes of it."""
        url = f"{self.url}/s/{self.session}/api.library.example.com/v1/loans{path}"
        asked, answer = monotonic(), None
        with suppress(httpx.HTTPError):
            answer = CALLER.ask(method, url, KEY, json=body)
        ended = monotonic()
        self.took.append((ended - asked, f"{self.name}, {verb} {what}"))
        if answer is not None and answer.status_code == FULL:
            return answer  # it is as if it had not been asked
        is_answered = answer is not None and answer.status_code != UNAVAILABLE
        said = self._said(answer) if is_answered and answer is not None else None
        if verb == "lend" and answer is not None and answer.is_success:
            self.ids.append(str(said))
        self.history.append(
            Operation(self.name, (verb, what), said, asked, ended if is_answered else inf)
        )
        return answer

    def _said(self, answer: httpx.Response) -> Hashable:
        """An answer in the words of `loans`."""
        if not answer.is_success:
            status = answer.status_code
            return "missing" if status == 404 else f"{status}: {answer.text[:80]}"
        if answer.request.method == "GET":
            found = answer.json()
            times = [loan["lentAt"] for loan in found]
            if times != sorted(times):
                self.wrong.append(f"{self.name}: time goes back: {times}")
            return tuple((loan["id"], loan["member"]) for loan in found)
        return str(answer.json()["id"]) if answer.request.method == "POST" else "done"


def contradictions(clients: Sequence[Client], lost: Operation | None = None) -> Iterator[str]:
    """What the answers of a session's clients contradict each other in.

    Args:
        clients: All clients of the session; the last list of one was asked after all else.
        lost: When the latest writes may have been lost.

    Yields:
        A line for each request of the shortest part of the history that no order explains.
    """
    history = [each for client in clients for each in client.history]
    listed = {
        member
        for each in history
        if each.request == LIST and isinstance(each.answer, tuple)
        for _, member in each.answer
    }
    relevant = [each for each in history if _matters(each, listed, lost)]
    step = loans if lost else lasting_loans
    session = clients[0].session
    for line in contradiction([*relevant, *([lost] if lost else [])], step, START, is_read):
        yield f"session {session}, no order explains: {line}"
    for client in clients:
        yield from client.wrong


def _matters(each: Operation, listed: Container[str], lost: Operation | None) -> bool:
    """Whether a request can have changed an answer.

    One that was not answered may have; yet a loan that nobody knows the id of is in each list after
    it, unless it was lost.
    """
    assert isinstance(each.request, tuple)
    verb, what = each.request
    if each.is_answered or verb == "return":
        return True
    return verb == "lend" and (what in listed or (lost is not None and each.asked < lost.answered))


def loss_of(clients: Sequence[Client], since: float, until: float, loses: float) -> Operation:
    """What a fault may do to a session that lasted from a moment to another.

    Args:
        clients: All clients of the session.
        since: When it struck, in seconds of the clients' clock.
        until: When it was over.
        loses: How many seconds of writes before it may be lost; what came earlier must be there.
    """
    kept = [
        int(str(each.answer)[1:])
        for client in clients
        for each in client.history
        if each.request[0] == "lend"  # type: ignore[index]
        and each.answered < since - loses
        and str(each.answer).startswith("L")
    ]
    return Operation("the fault", ("lose", max(kept, default=0)), "lost", since, until)


class Counter:
    """Counts what all clients have done, and strikes once at a number of it."""

    def __init__(self, at: int, strike: Callable[[], None]) -> None:
        self._at, self._strike, self._done = at, strike, 0
        self._lock = threading.Lock()

    def note(self) -> None:
        """One more request is over."""
        with self._lock:
            self._done += 1
            is_now = self._done == self._at
        if is_now:
            self._strike()
