"""Requests per second: against a constant raw ASGI answer, and flat in cases and sessions."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import (
    get,
    mock_server,
    post,
    reference_server,
    requests_per_second,
)
from tests.benchmarks.suites import write_suite

LIST = "/s/{}/admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits?type=all"
USERS = "/s/{}/admin.googleapis.com/admin/directory/v1/users?customer=my_customer&maxResults=100"
ROUNDS = 7
MANY = 10_000


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        few = write_suite(Path(folder) / "few", cases=1)
        many = write_suite(Path(folder) / "many", cases=MANY)
        yield from against_reference(few, "orgunits.list", LIST, (0.85, 0.75))
        yield from against_reference(few, "users.list of 100", USERS, (0.3, 0.3))
        yield flat_in_sessions(few)
        yield flat_in_cases(few, many)


def against_reference(
    suite: Path, name: str, asked: str, targets: tuple[float, float]
) -> Iterator[Figure]:
    """Requests whose heads came before, and with heads of their own, as of traced agents."""
    with mock_server(suite) as (port, _):
        session = post(port, "/_mock/sessions", {"id": "bench"})["id"]
        path = asked.format(session)
        with reference_server(port, path) as reference:
            for own_heads, target in zip((False, True), targets, strict=True):
                ours, theirs = [], []
                for _ in range(ROUNDS):
                    ours.append(requests_per_second(port, path, own_heads=own_heads))
                    theirs.append(requests_per_second(reference, "/", own_heads=own_heads))
                kind = ", heads of their own" if own_heads else ""
                title = f"{name} / constant raw ASGI{kind}, requests/s"
                yield Figure(title, ratio(ours, theirs), target, at_least=True)


def flat_in_sessions(suite: Path) -> Figure:
    with mock_server(suite) as (one, _), mock_server(suite) as (crowded, _):
        post(one, "/_mock/sessions", {"id": "bench"})
        for number in range(MANY - 1):
            post(crowded, "/_mock/sessions", {"id": f"s{number}"})
        post(crowded, "/_mock/sessions", {"id": "bench"})
        return _flat("requests/s with 10,000 sessions / 1 session", crowded, one)


def flat_in_cases(few: Path, many: Path) -> Figure:
    with mock_server(few) as (one, _), mock_server(many) as (loaded, _):
        post(one, "/_mock/sessions", {"id": "bench", "case": "EC-00000"})
        for number in range(MANY):
            post(loaded, "/_mock/sessions", {"id": f"s{number}", "case": f"EC-{number:05d}"})
            get(loaded, LIST.format(f"s{number}"))
        post(loaded, "/_mock/sessions", {"id": "bench", "case": "EC-00000"})
        return _flat("requests/s with 10,000 loaded cases / 1 case", loaded, one)


def _flat(name: str, crowded: int, one: int) -> Figure:
    path = LIST.format("bench")
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(requests_per_second(crowded, path))
        theirs.append(requests_per_second(one, path))
    return Figure(name, ratio(ours, theirs), 0.85, at_least=True)
