"""What comes of many exchanges: counts by method and host, and differences grouped by kind."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from mockserver.drift import CaseRead
from mockserver.model import Json, RecordedRequest
from mockserver.verify.comparison import UNSAID, Answer, Compared, Difference, Kind

_EXAMPLE = 4000
"""Bytes of a body that an example keeps."""


@dataclass
class Counts:
    """How far the answers of some exchanges agree.

    Attributes:
        exchanges: How many were compared.
        status: Those with the recorded status.
        errors: Those whose recorded answer is an error.
        errors_agree: Of those, the ones with the recorded status, reason and message.
        said: Those in which everything is said that the live service said.
        differences: How many differences of each kind.
    """

    exchanges: int = 0
    status: int = 0
    errors: int = 0
    errors_agree: int = 0
    said: int = 0
    differences: Counter[Kind] = field(default_factory=Counter)

    def add(self, compared: Compared) -> None:
        """Count one exchange."""
        self.exchanges += 1
        self.status += compared.status_agrees
        self.errors += compared.error_agrees is not None
        self.errors_agree += bool(compared.error_agrees)
        self.said += compared.all_said
        self.differences.update(each.kind for each in compared.differences)

    @property
    def agreement(self) -> float:
        """The share of exchanges in which everything is said; 0 where there is none."""
        return self.said / self.exchanges if self.exchanges else 0.0


class Example(NamedTuple):
    """One exchange, with what differs in it.

    Attributes:
        recording: Where it was recorded.
        number: Its number there, from 1.
        request: The request as it was sent to the mock: METHOD URL, and the body.
        recorded: The recorded status and body.
        given: The given ones.
        difference: What differs.
    """

    recording: str
    number: int
    request: str
    recorded: str
    given: str
    difference: Difference


@dataclass
class Group:
    """Differences that are alike.

    Attributes:
        method: The method.
        kind: What differs.
        field: Where.
        example: The first of them.
        given: The texts, numbers and flags that were given where another value was recorded.
        count: How often.
        recordings: In how many recordings.
        cases: The cases that rest on it, where a run was named.
    """

    method: str
    kind: Kind
    field: str
    example: Example
    given: set[Json]
    count: int = 0
    recordings: int = 0
    last: str = ""
    cases: tuple[str, ...] = ()


@dataclass
class Agreement:
    """All that a verification found.

    Attributes:
        total: The counts of all exchanges.
        methods: Those of each method.
        hosts: Those of each host.
        hosts_of: The hosts of each method.
        groups: Differences that are alike, by method, kind and field.
        recordings: How many recordings were held against the mock.
        unreadable: Recordings that cannot be used, and why.
        left_out: What was left out of recordings, by reason.
        unserved: Exchanges with hosts that the mock does not serve.
        by_recording: The counts of each recording.
        other_bodies: Exchanges whose recorded body is no JSON, by media type.
    """

    total: Counts = field(default_factory=Counts)
    methods: dict[str, Counts] = field(default_factory=dict)
    hosts: dict[str, Counts] = field(default_factory=dict)
    hosts_of: dict[str, set[str]] = field(default_factory=dict)
    groups: dict[tuple[str, Kind, str], Group] = field(default_factory=dict)
    recordings: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    unserved: Counter[str] = field(default_factory=Counter)
    by_recording: dict[str, Counts] = field(default_factory=dict)
    other_bodies: Counter[str] = field(default_factory=Counter)

    def add(
        self,
        method: str,
        host: str,
        recording: str,
        number: int,
        sent: RecordedRequest,
        answers: tuple[Answer, Answer],
        compared: Compared,
    ) -> None:
        """Take in one exchange."""
        for counts in (
            self.total,
            self.methods.setdefault(method, Counts()),
            self.hosts.setdefault(host, Counts()),
            self.by_recording.setdefault(recording, Counts()),
        ):
            counts.add(compared)
        self.hosts_of.setdefault(method, set()).add(host)
        for each in compared.differences:
            key = method, each.kind, each.field
            group = self.groups.get(key)
            if group is None:
                recorded, given = map(_answer_text, answers)
                example = Example(recording, number, _request_text(sent), recorded, given, each)
                group = self.groups[key] = Group(method, each.kind, each.field, example, set())
            group.count += 1
            group.recordings += group.last != recording
            group.last = recording
            if each.kind == "value" and not isinstance(each.given, dict | list):
                group.given.add(each.given)

    def name_cases(self, reads: Iterable[CaseRead]) -> None:
        """Name the cases that rest on what is answered otherwise.

        Args:
            reads: What cases have read in a run. Another value counts for those that read the one
                which the mock gives; anything else for all that called the method.
        """
        by_method: dict[str, list[CaseRead]] = {}
        for each in reads:
            by_method.setdefault(each.subject, []).append(each)
        for group in self.groups.values():
            place = f"/{group.field.replace('[]', '/*').replace('.', '/')}".replace("//", "/")
            found = by_method.get(group.method, ())
            group.cases = tuple(sorted({each.case for each in found if _rests(group, each, place)}))

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases that rest on anything that is not said, or said otherwise."""
        return tuple(sorted({case for group in self.groups.values() if group.kind in UNSAID
                             for case in group.cases}))  # fmt: skip

    def worst(self, kinds: Iterable[Kind], number: int) -> list[Group]:
        """The groups of some kinds that have the most differences."""
        chosen = frozenset(kinds)
        found = [each for each in self.groups.values() if each.kind in chosen]
        return sorted(found, key=lambda each: (-each.count, each.method, each.field))[:number]


def _rests(group: Group, read: CaseRead, place: str) -> bool:
    if group.kind != "value":
        return True
    if not group.given:
        return place in read.paths
    return any((place, each) in read.values for each in group.given)


def _request_text(sent: RecordedRequest) -> str:
    return f"{sent.method} {sent.url}\n{_text(sent.body)}".strip()


def _answer_text(answer: Answer) -> str:
    return f"{answer.status}\n{_text(answer.body)}".strip()


def _text(body: bytes) -> str:
    more = "" if len(body) <= _EXAMPLE else f"\n... {len(body) - _EXAMPLE} more bytes"
    try:
        return body[:_EXAMPLE].decode() + more
    except UnicodeDecodeError as error:
        if error.start > _EXAMPLE - 4:  # cut within a character
            return body[: error.start].decode() + more
        return f"{len(body)} bytes that are no text"
