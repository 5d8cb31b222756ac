"""How fast orjson parses: what redaction is held against, since machines differ."""

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from time import process_time

import orjson

from tests.benchmarks.figures import Figure, ratio

ROUNDS = 7
_REPEATS = 5
"""Parsing is so fast that one pass is too short to be timed."""


def beside_parsing(
    name: str, texts: Sequence[bytes], speed: Callable[[], float], target: float
) -> Iterator[Figure]:
    """A speed as a ratio to that of parsing JSON texts, in turn in one run; and in itself.

    Args:
        name: What is fast.
        texts: JSON texts.
        speed: Measures it once, in MB of a second of CPU.
        target: The ratio that it should reach.
    """
    ours, parsing = [], []
    for _ in range(ROUNDS):
        ours.append(speed())
        parsing.append(_parsing_speed(texts))
    yield Figure(f"{name} / orjson", ratio(ours, parsing), target, at_least=True)
    yield Figure("  MB/s of CPU", median(ours), 0, at_least=True)
    yield Figure("  MB/s of CPU, orjson", median(parsing), 0, at_least=True)


def _parsing_speed(texts: Sequence[bytes]) -> float:
    started = process_time()
    for _ in range(_REPEATS):
        for text in texts:
            orjson.loads(text)
    return _REPEATS * sum(map(len, texts)) / (process_time() - started) / 1e6
