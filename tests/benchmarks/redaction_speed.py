"""Redaction of JSON bodies as captures hold them: policies, audit events, people."""

from collections.abc import Iterator
from functools import partial
from time import process_time

import orjson

from mockserver.model import JsonObject, RecordedResponse
from mockserver.redaction import Redactor, RuleSet
from tests.benchmarks.figures import Figure
from tests.benchmarks.json_parsing import beside_parsing

HEADERS = (("Content-Type", "application/json; charset=UTF-8"),)
PAGES = 12


def figures() -> Iterator[Figure]:
    pages = [page for number in range(PAGES) for page in _pages(number)]
    people = [_text(_people(number * 100)) for number in range(PAGES)]
    for name, texts, target in (
        ("redaction of JSON bodies of a capture", pages, 0.05),
        ("redaction where every value is a new secret", people, 0.025),
    ):
        yield from beside_parsing(name, texts, partial(_speed, texts), target)


def _speed(pages: list[bytes]) -> float:
    redactor = Redactor(RuleSet.default(), b"a key")
    redactor.redact_text("ready@corp.io")
    started = process_time()
    for page in pages:
        redactor.redact_response(RecordedResponse(200, "OK", HEADERS, page))
    return sum(map(len, pages)) / (process_time() - started) / 1e6


def _pages(number: int) -> Iterator[bytes]:
    # as many bytes of each as a Chrome administrator's tenant has of them
    yield _text(_policies(number))
    yield _text(_policies(number + PAGES))
    yield _text(_events(number * 100))
    if number % 4 == 0:
        yield _text(_people(number * 100))


def _text(value: JsonObject) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"


def _policies(number: int) -> JsonObject:
    target = {"targetResource": f"orgunits/03ph8a2z{number:07d}"}
    return {
        "resolvedPolicies": [
            {
                "targetKey": target,
                "value": {
                    "policySchema": f"chrome.users.PolicySchema{item}",
                    "value": {
                        f"policyField{item}Enabled": item % 2 == 0,
                        f"policyField{item}Mode": f"POLICY_FIELD_{item}_MODE_ENUM_ALLOW",
                        "urls": [f"https://site{item}.example.com/path", "chrome://settings"],
                        "note": "How strictly this protects the people of an organization.",
                    },
                },
                "sourceKey": target,
                "addedSourceKey": {"targetResource": "orgunits/03ph8a2zu5louxq"},
            }
            for item in range(200)
        ]
    }


def _events(first: int) -> JsonObject:
    return {
        "kind": "admin#reports#activities",
        "items": [
            {
                "kind": "admin#reports#activity",
                "id": {
                    "time": f"2026-11-20T09:{item // 60 % 60:02d}:{item % 60:02d}.000Z",
                    "uniqueQualifier": str(-(10**17) - item * 7919),
                    "applicationName": "chrome",
                    "customerId": "C03xq7b2k",
                },
                "actor": {"email": f"user{item % 60}@corp.io", "profileId": f"10{item % 60:019d}"},
                "events": [
                    {
                        "type": "CONTENT_TRANSFER_TYPE",
                        "name": "CONTENT_TRANSFER",
                        "parameters": [
                            {"name": "DEVICE_NAME", "value": f"LAPTOP-{item % 60}"},
                            {"name": "TRIGGER_TYPE", "value": "FILE_UPLOAD"},
                            {"name": "EVENT_RESULT", "value": "EVENT_RESULT_BLOCKED"},
                            {"name": "URL", "value": "https://drive.example.com/upload"},
                        ],
                    }
                ],
            }
            for item in range(first, first + 100)
        ],
    }


def _people(first: int) -> JsonObject:
    return {
        "kind": "admin#directory#users",
        "users": [
            {
                "id": f"10{item:019d}",
                "etag": f'"qEwZ{item}x/Kp-{item}"',
                "primaryEmail": f"user{item}@corp.io",
                "name": {"givenName": f"Ann{item}", "familyName": "Berg"},
                "isAdmin": False,
                "lastLoginTime": "2026-11-19T08:00:00.000Z",
                "orgUnitPath": "/Engineering/Platform",
                "customerId": "C03xq7b2k",
                "emails": [{"address": f"user{item}@corp.io", "primary": True}],
                "languages": [{"languageCode": "en", "preference": "preferred"}],
            }
            for item in range(first, first + 100)
        ],
    }
