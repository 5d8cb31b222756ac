"""The leak gate looks through a cassette in all codings at a speed that a capture can pay."""

import json
from collections.abc import Iterator
from time import process_time

from mockserver.cassettes.files import interaction_block
from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import LeakGate, Redactor, RuleSet
from tests.benchmarks.figures import Figure

INTERACTIONS, PEOPLE = 150, 20
LEAST_MB_S = 1.0
HEAD = b"version: 1\ninteractions:\n"


def figures() -> Iterator[Figure]:
    rules = RuleSet.default()
    redactor = Redactor(rules, b"the key of a benchmark")
    content = HEAD + b"".join(
        interaction_block(redactor.redact_interaction(_answer(page)))
        for page in range(INTERACTIONS)
    )
    for name, unknown in (("known secrets", False), ("known and unknown", True)):
        gate = LeakGate(rules, unknown=unknown)
        gate.learn(redactor.seen.secrets())
        began = process_time()
        assert gate.scan(content) == ()
        speed = len(content) / 1e6 / (process_time() - began)
        yield Figure(f"leak gate, {name}", speed, LEAST_MB_S, "MB/s", at_least=True)


def _answer(page: int) -> Interaction:
    users = [
        {
            "primaryEmail": f"person.{page}.{number}@corp.test",
            "name": {"fullName": "Ann Lovelace"},
            "id": str(10**20 + page * PEOPLE + number),
            "orgUnitPath": "/Finance/Payroll",
            "lastLoginTime": "2026-01-02T03:04:05.000Z",
        }
        for number in range(PEOPLE)
    ]
    return Interaction(
        RecordedRequest("GET", f"https://admin.googleapis.com/admin/directory/v1/users?p={page}"),
        RecordedResponse(
            200,
            headers=(("Content-Type", "application/json"),),
            body=json.dumps({"users": users}).encode(),
        ),
    )
