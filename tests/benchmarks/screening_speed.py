"""Redaction with the leak gate, as a capture pays for it, against a scan of the same bytes."""

import re
import sys
from collections.abc import Iterator
from time import process_time

from mockserver.model import Interaction
from mockserver.redaction import InteractionSanitizer, Redactor, RuleSet
from tests.benchmarks.figures import Figure
from tests.benchmarks.traffic import KINDS, captured, size

ROUNDS = 4
MOST = {
    "mailbox": 35, "files": 60, "people": 55, "policies": 25, "chat with prose": 17,
    "web pages": 25, "logs": 12, "package metadata": 60, "embeddings": 20,
    "pictures in base64": 85, "event streams": 45, "small answers": 110,
}  # fmt: skip
"""How many times as long as a scan for words each kind may take."""

_WORD = re.compile(rb"\w+")


def figures() -> Iterator[Figure]:
    for kind in KINDS:
        ours, scan, _ = measured(kind)
        yield Figure(f"redaction with gate, {kind}, against a scan", ours / scan, MOST[kind], "x")


def measured(kind: str) -> tuple[float, float, int]:
    """CPU seconds of redaction with the gate, of a scan for words, and the bytes of a capture."""
    rounds = [captured(kind, seed) for seed in range(ROUNDS)]  # nobody has seen the same before
    ours = [_screened(interactions) for interactions in rounds]
    scans = [_scanned(interactions) for interactions in rounds]
    return min(ours[1:]), min(scans), sum(map(size, rounds[-1]))


def _screened(interactions: list[Interaction]) -> float:
    redactor = Redactor(RuleSet.default(), b"a key")
    redactor.redact_text("ready@corp.io")
    sanitizer = InteractionSanitizer(redactor)
    began = process_time()
    for interaction in interactions:
        sanitizer.sanitize(interaction)
    return process_time() - began


def _scanned(interactions: list[Interaction]) -> float:
    began = process_time()
    for interaction in interactions:
        for _ in _WORD.finditer(interaction.request.body + interaction.response.body):
            pass
    return process_time() - began


if __name__ == "__main__":
    for name in sys.argv[1:] or KINDS:
        took, scan, total = measured(name)
        sys.stdout.write(f"{name:<20} {total / 1e6 / took:8.2f} MB/s {took / scan:8.1f}x\n")
