"""The leak gate looks through a cassette in all codings at a speed that a capture can pay."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from time import process_time

from mockserver.cassettes.files import interaction_block
from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import LeakGate, Redactor, RuleSet
from mockserver.redaction.known_secrets import SecretLike
from tests.benchmarks.figures import Figure
from tests.benchmarks.json_parsing import beside_parsing

INTERACTIONS, PEOPLE = 150, 20
RATIO = 0.05
HEAD = b"version: 1\ninteractions:\n"


def figures() -> Iterator[Figure]:
    rules = RuleSet.default()
    redactor = Redactor(rules, b"the key of a benchmark")
    answers = [_answer(page) for page in range(INTERACTIONS)]
    content = HEAD + b"".join(
        interaction_block(redactor.redact_interaction(each)) for each in answers
    )
    secrets = tuple(redactor.seen.secrets())
    texts = [each.response.body for each in answers]
    for name, unknown in (("known secrets", False), ("known and unknown", True)):
        speed = partial(_speed, rules, secrets, content, unknown=unknown)
        speed()  # what is loaded for the first search is loaded then
        yield from beside_parsing(f"leak gate, {name}", texts, speed, RATIO)


def _speed(
    rules: RuleSet, secrets: Iterable[SecretLike], content: bytes, *, unknown: bool
) -> float:
    gate = LeakGate(rules, unknown=unknown)
    gate.learn(secrets)
    began = process_time()
    assert gate.scan(content) == ()
    return len(content) / 1e6 / (process_time() - began)


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
