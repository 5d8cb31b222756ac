"""Requests per second where many cases are loaded, beside one."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import get, mock_server, post, requests_per_second
from tests.benchmarks.suites import write_suite

LIST = "/s/{}/admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits?type=all"
ROUNDS = 7
MANY = 10_000


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        few = write_suite(Path(folder) / "few", cases=1)
        many = write_suite(Path(folder) / "many", cases=MANY)
        yield flat_in_cases(few, many)


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
