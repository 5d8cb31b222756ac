"""How long one request looks for its recording: live, redacted first, nothing remembered of it."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from vcr import matchers
from vcr.cassette import Cassette as VcrCassette
from vcr.record_mode import RecordMode
from vcr.request import Request as VcrRequest

from mockserver.cassettes.replay import IndexedCassette, PlayedMatch, Player
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction import Redactor, RuleSet
from tests.benchmarks.figures import Figure

SIZES = (100, 10_000, 100_000)
TARGET_MS = 0.2
FLAT = 1.2
ASKED = 100
ROUNDS = 15
VCRPY_SIZE = 1000
TIMES_FASTER = 20
LOAD_SIZE = 5000
LOAD_TARGET_S = 0.5

_URL = "https://chromepolicy.googleapis.com/v1/customers/C03xyz987/policies:resolve"
_HEADERS = (
    ("Content-Type", "application/json"),
    ("Authorization", "Bearer ya29.a0ARrdaM-not-a-real-token-0123456789"),
)


def figures() -> Iterator[Figure]:
    redactor = Redactor(RuleSet.default(), b"a key for the benchmark")
    tapes = {
        size: IndexedCassette.of(_cassette(size, redactor), redactor=redactor) for size in SIZES
    }
    took: dict[int, list[float]] = {size: [] for size in SIZES}
    gc.collect()
    gc.freeze()
    for _ in range(ROUNDS):
        for size, tape in tapes.items():
            took[size].append(_lookup(tape, redactor, size))
    gc.unfreeze()
    for size in SIZES:
        yield Figure(f"replay lookup, {size:,}: CPU", median(took[size]), TARGET_MS, "ms")
    middles = [median(took[size]) for size in SIZES]
    yield Figure("replay lookup: slowest size to fastest", max(middles) / min(middles), FLAT, "x")
    yield from _beside_vcrpy(redactor)
    cassette = _cassette(LOAD_SIZE, redactor)
    started = time.process_time()
    IndexedCassette.of(cassette, redactor=redactor)
    spent = time.process_time() - started
    yield Figure(f"replay, {LOAD_SIZE:,} indexed: CPU", spent, LOAD_TARGET_S, "s")


def _beside_vcrpy(redactor: Redactor) -> Iterator[Figure]:
    tape = IndexedCassette.of(_cassette(VCRPY_SIZE, redactor), redactor=redactor)
    ours = median(_lookup(tape, redactor, VCRPY_SIZE) for _ in range(ROUNDS))
    theirs = _vcrpy_lookup(VCRPY_SIZE)
    name = f"replay lookup, {VCRPY_SIZE:,}: to vcrpy's {theirs:.1f}ms"
    yield Figure(name, theirs / ours, TIMES_FASTER, "x", at_least=True)


def _lookup(tape: IndexedCassette, redactor: Redactor, size: int) -> float:
    """CPU of one lookup in milliseconds."""
    asked = _spread(size)
    player = Player([tape], repeats="last")
    keyer = tape.keyer
    return _each(
        asked, lambda number: player.play(keyer.fresh(redactor.redact_request(_live(number))))
    )


def _each(asked: Sequence[int], play: Callable[[int], object]) -> float:
    started = time.process_time()
    answers = [play(number) for number in asked]
    spent = time.process_time() - started
    if not all(isinstance(answer, PlayedMatch) for answer in answers):
        raise SystemExit("a recorded request was not found")
    return spent / len(asked) * 1000


def _vcrpy_lookup(size: int) -> float:
    """CPU of vcrpy for the last recordings in milliseconds; by default it compares no bodies."""
    by = (matchers.method, matchers.scheme, matchers.host, matchers.port, matchers.path)
    cassette = VcrCassette("none", record_mode=RecordMode.NONE, match_on=(*by, matchers.query))
    for number in range(size):
        cassette.append(_vcr_request(number), {"status": {"code": 200}, "body": {"string": b""}})
    cassette.rewound = True
    last = [_vcr_request(number) for number in range(size - 5, size)]
    started = time.process_time()
    for request in last:
        if cassette.can_play_response_for(request):
            cassette.play_response(request)
    return (time.process_time() - started) / len(last) * 1000


def _vcr_request(number: int) -> VcrRequest:
    live = _live(number)
    return VcrRequest(live.method, live.url, live.body, dict(live.headers))


def _spread(size: int) -> Sequence[int]:
    return [number * size // ASKED for number in range(ASKED)]


def _live(number: int) -> RecordedRequest:
    target = f"orgunits/03ph8a2z{number:06}"
    body = f'{{"policyTargetKey":{{"targetResource":"{target}"}},"pageSize":100,"n":{number}.0}}'
    return RecordedRequest("POST", f"{_URL}?key=k&page={number}", _HEADERS, body.encode())


def _cassette(size: int, redactor: Redactor) -> Cassette:
    response = RecordedResponse(200, body=b"{}")
    requests = (redactor.redact_request(_live(number)) for number in range(size))
    found = tuple(Interaction(request, response) for request in requests)
    return Cassette("benchmark.yaml", found, CassetteInfo(key_id=redactor.key_id))
