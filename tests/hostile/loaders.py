"""Every reader of files, with real files to spoil: the table that the fuzzer goes through.

To add a reader: write its files and the function that reads them, add its line to `LOADERS`.
A reader that yields texts prints them: they must be text that a terminal and a file can take.
"""

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, cast

import httpx
import yaml

from harness.agents.doubles import read_script
from harness.agents.replies import read_reply
from harness.cases import (
    case_hash,
    count_categories,
    cross_with_profiles,
    fault_profiles,
    read_suite,
    suite_prices,
)
from harness.cases.conversion import as_yaml, written_case
from harness.cli.case_text import case_json, case_text
from harness.cli.review_output import read_results
from harness.environment import fixture_problems, merged_fixtures
from harness.errors import HarnessError
from harness.foreign import ReadOptions, SourceFile, assemble_run
from harness.foreign import read_results as read_foreign_results
from harness.judge import read_labels
from harness.learning import TraceReader, coverage_of
from harness.learning.calls import learned_of
from harness.learning.proposals import CaseTerms, case_id, propose
from harness.model import Calibration, ReviewResults
from harness.reports import (
    FORMATS,
    REPORTS,
    console_report,
    history_text,
    regressions_text,
    review_text,
    review_versus_text,
    versus_text,
)
from harness.runner import (
    against_baseline,
    compare_outcomes,
    decide,
    fixture_files,
    judged_items,
    merge_runs,
    outcomes_of_review,
    prompts_of,
    read_baseline,
    settings_of,
    stored_outcomes,
    suite_history,
    write_baseline,
)
from harness.statistics import Terms
from harness.storage import (
    Baseline,
    Baselines,
    RegisteredSuite,
    RegisteredSuites,
    RunFolder,
    read_calibrations,
    read_run,
    save_calibration,
)
from harness.verdicts import Limits
from mockserver.apis import APIS
from mockserver.capture.google.plans import read_plan, with_variables
from mockserver.capture.google_catalog import google_catalog
from mockserver.capture.recordings import redact_recording
from mockserver.capture.snapshots import SnapshotMaker
from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.comparison import compare_cassettes as compared_cassettes
from mockserver.cassettes.files.writer import cassette_json, cassette_text
from mockserver.cassettes.foreign import har_of, read_foreign
from mockserver.cassettes.leaks import file_leaks
from mockserver.cassettes.matching import canonical_key
from mockserver.cli.cassette_pages import cassette_lines, comparison_lines, interaction_lines
from mockserver.declared.calls import DeclaredCall
from mockserver.declared.openapi.export import openapi_of
from mockserver.drift import FORMATS as DRIFT_FORMATS
from mockserver.drift import (
    Documents,
    Finding,
    compare,
    compare_with_documents,
    find_case_reads,
    read_source,
    staleness,
    survey,
)
from mockserver.googleapi import ApiError, Catalog
from mockserver.model import SessionSpec
from mockserver.redaction import Redactor, RuleSet
from mockserver.snapshots.lint import lint_suite
from mockserver.snapshots.resolver import SnapshotResolver, suite_apis
from mockserver.state import World
from mockserver.storage import origins
from mockserver.storage.redaction_settings import redaction_rules
from mockserver.testing import EmulatorTransport
from tests import told_traces
from tests.casefiles import put
from tests.harness.example_run import CASES, example_run
from tests.harness.records import call, entry, record, reply
from tests.harness.reviews import PUBLISHED, published_records, results_of
from tests.mockserver.declared.documents.examples import SHOP, TRIPS
from tests.runfolders import TOUCHED, stored_run

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
_NOW = datetime(2026, 11, 20, tzinfo=UTC)
_KEY = b"a key for tests that nobody else has"

Said = Iterator[str]


@dataclass(frozen=True)
class Loader:
    """A reader of files.

    Attributes:
        name: What it reads.
        write: Writes what it reads into an empty folder.
        read: Reads it as the commands do, and yields what they print.
        spoil: Globs of the files that are spoilt.
        weight: How often it is taken, beside the others.
        writes: Whether reading leaves files behind.
    """

    name: str
    write: Callable[[Path], object]
    read: Callable[[Path], Said]
    spoil: Sequence[str] = ("**/*",)
    weight: int = 2
    writes: bool = False


def _copied(source: Path, *names: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name in names:
            for path in sorted(source.glob(name)):
                if path.is_file():
                    target = folder / path.relative_to(source)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(path.read_bytes())

    return write


def _base(folder: Path, suite: str) -> None:
    """A suite's base, of whose lists two entries are kept; members of groups that are gone too."""
    for path in sorted((FIXTURES / suite / "base").glob("*.json")):
        whole = json.loads(path.read_bytes())
        held = {
            key: value if key == "orgUnits" else _shortened(value) for key, value in whole.items()
        }
        if "members" in held:
            known = {group["email"] for group in held["groups"]}
            held["members"] = {key: held["members"][key] for key in sorted(known)}
        put(folder / f"base/{suite}-{path.name}", json.dumps(held, indent=1))


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    return [_shortened(item) for item in value[:2]] if isinstance(value, list) else value


# --- recordings ---


def _cassettes(folder: Path) -> None:
    for path in (ROOT / "cassettes").glob("*/*.yaml"):
        if path.parent.name != "plans":
            content = path.read_bytes()
            (folder / path.name).write_bytes(content)
            (folder / f"{path.stem}.recording.yaml").write_bytes(content)
            (folder / f"{path.stem}.json").write_bytes(cassette_json(read_cassette(path)))
            theirs = yaml.safe_load(content)
            for item in theirs["interactions"]:
                item.pop("recorded", None)
            (folder / f"{path.stem}.vcrpy.yaml").write_text(yaml.safe_dump(theirs, width=10**6))
    (folder / "tags.yaml").write_text(
        "interactions:\n- request: {body: !!python/unicode 'é', headers: {A: [!!python/str b]},"
        " method: GET, uri: 'https://a.example.com/'}\n  response: {body: {string: !!binary aGk=},"
        " headers: {}, status: {code: 200, message: OK}}\nversion: 1\n",
        encoding="utf-8",
    )


def _one(folder: Path) -> Path:
    """The file that was spoilt; the fuzzer writes its name beside the files."""
    return folder / (folder / ".spoilt").read_text(encoding="utf-8")


@cache
def _redactor_rules() -> RuleSet:
    return redaction_rules(None).with_rules_before(rule for api in APIS for rule in api.redaction())


@cache
def _catalog() -> Catalog:
    return google_catalog()


@cache
def _documents() -> Documents:
    return Documents(APIS)


def _read_cassette(folder: Path) -> Said:
    held = read_cassette(_one(folder))
    yield from cassette_lines(held)
    for item in held.interactions[:4]:
        yield from interaction_lines(item)
    yield from map(str, map(len, cassette_text(held)))
    har_of(held)
    yield from comparison_lines(compared_cassettes(held, held, key=canonical_key))


def _linted_file(folder: Path) -> Said:
    yield from map(str, file_leaks(_one(folder), _redactor_rules()))


def _made_snapshot(folder: Path) -> Said:
    made = SnapshotMaker(APIS, _catalog()).make(read_cassette(_one(folder)))
    yield str(made.used)


_WIREMOCK = {
    "mappings": [
        {
            "priority": 1,
            "request": {
                "method": "POST",
                "urlPath": "/a",
                "queryParameters": {"q": {"equalTo": "é"}},
                "headers": {"Accept": {"equalTo": "*/*"}, "X": {"matches": ".*"}},
                "bodyPatterns": [{"equalToJson": {"a": 1}}, {"matchesJsonPath": "$.a"}],
            },
            "response": {"status": 200, "base64Body": "aGk=", "fixedDelayMilliseconds": 5},
        },
        {
            "scenarioName": "s",
            "request": {"method": "GET", "url": "/a?b=1", "host": {"equalTo": "h.example.com"}},
            "response": {
                "status": 200,
                "jsonBody": {"x": 1},
                "headers": {"Content-Type": "application/json", "Set-Cookie": ["a=1", "b=2"]},
            },
        },
        {
            "request": {"method": "ANY", "urlPathPattern": "/b/.*", "port": 8443},
            "response": {"status": 404, "bodyFileName": "body.bin", "statusMessage": "No"},
        },
    ]
}
_HAR = {
    "log": {
        "version": "1.2",
        "creator": {"name": "Browser", "version": "9"},
        "entries": [
            {
                "startedDateTime": "2026-11-20T09:00:00.000Z",
                "time": 12.5,
                "request": {
                    "method": "post",
                    "url": "https://api.example.com/a?b=1#c",
                    "headers": [{"name": ":method", "value": "POST"}, {"name": "A", "value": "1"}],
                    "postData": {
                        "mimeType": "x",
                        "params": [{"name": "a b", "value": "é"}, {"name": "f", "fileName": "f"}],
                    },
                },
                "response": {
                    "status": 200,
                    "statusText": "OK",
                    "headers": [
                        {"name": "Content-Encoding", "value": "gzip"},
                        {"name": "Content-Length", "value": "99"},
                    ],
                    "content": {"size": 2, "text": "aGk=", "encoding": "base64"},
                },
            },
            {
                "startedDateTime": "2026-11-20T09:00:01.000Z",
                "time": 1,
                "request": {
                    "method": "GET",
                    "url": "https://b.example.com/",
                    "headers": [],
                    "postData": {"mimeType": "text/plain", "text": "hi", "_encoding": "base64"},
                },
                "response": {"status": 0, "headers": [], "content": {}},
            },
        ],
    }
}
_POSTMAN = {
    "info": {"name": "Things", "schema": "https://schema.example.com/collection/v2.1.0/"},
    "variable": [{"key": "base", "value": "https://api.example.com"}, {"key": "t", "value": "x"}],
    "item": [
        {
            "name": "folder",
            "item": [
                {
                    "name": "one",
                    "request": {"method": "GET", "url": "https://a.example.com/{{t}}"},
                    "response": [
                        {
                            "originalRequest": {
                                "method": "POST",
                                "header": [{"key": "A", "value": "Bearer {{t}}"}],
                                "url": {
                                    "raw": "{{base}}/v1",
                                    "host": ["a", "example", "com"],
                                    "path": ["v1", ":id"],
                                    "query": [{"key": "a", "value": "1"}],
                                    "variable": [{"key": "id", "value": "7"}],
                                },
                                "body": {
                                    "mode": "urlencoded",
                                    "urlencoded": [{"key": "a", "value": "{{t}}"}],
                                },
                            },
                            "code": 200,
                            "status": "OK",
                            "header": [{"key": "Content-Encoding", "value": "gzip"}],
                            "body": "hi",
                        }
                    ],
                }
            ],
        }
    ],
}
_RUBY = """\
---
http_interactions:
- request:
    method: get
    uri: https://api.example.com/v1/things
    body: {encoding: US-ASCII, string: ''}
    headers:
      Accept: ["*/*"]
  response:
    status: {code: 200, message: OK}
    headers:
      Content-Encoding: [gzip]
      Set-Cookie: [a=1, b=2]
    body: {encoding: ASCII-8BIT, string: !binary "aGk="}
    http_version: '1.1'
  recorded_at: Fri, 20 Nov 2026 09:00:00 GMT
- request: {method: post, uri: "https://api.example.com/", body: {base64_string: "aGk=\\n"}}
  response:
    status: {code: 201, message: null}
    body: {encoding: ISO-8859-1, string: "é"}
recorded_with: VCR 6.2.0
"""


_POLLY = {
    "log": {
        "creator": {"name": "Polly.JS", "version": "6.0.6"},
        "entries": [
            {
                "_id": "1",
                "request": {"method": "GET", "url": "https://api.example.com/", "headers": []},
                "response": {
                    "status": 200,
                    "headers": [{"name": "content-encoding", "value": "gzip"}],
                    "content": {"encoding": "base64", "text": '["aGk="]', "textJSON": [1]},
                },
            }
        ],
    }
}
_BETAMAX = {
    "recorded_with": "betamax/0.8.1",
    "http_interactions": [
        {
            "recorded_at": "2026-11-20T09:00:00",
            "request": {
                "method": "GET",
                "uri": "https://api.example.com/",
                "headers": {"Accept": ["*/*"]},
                "body": {"encoding": "utf-8", "string": ""},
            },
            "response": {
                "status": {"code": 200, "message": "OK"},
                "headers": {"Content-Type": ["text/plain"]},
                "body": {"encoding": "utf-8", "base64_string": "aGk="},
                "url": "https://api.example.com/",
            },
        }
    ],
}
_NOCK = [
    {
        "scope": "https://api.example.com:443",
        "method": "POST",
        "path": "/a?b=1",
        "body": {"a": 1},
        "status": 200,
        "response": ["6869"],
        "rawHeaders": ["Content-Type", "application/json"],
        "reqheaders": {"accept": "*/*"},
        "responseIsBinary": True,
    }
]
_HOVERFLY = {
    "data": {
        "pairs": [
            {
                "request": {
                    "method": [{"matcher": "exact", "value": "GET"}],
                    "scheme": [{"matcher": "exact", "value": "https"}],
                    "destination": [{"matcher": "exact", "value": "api.example.com"}],
                    "path": [{"matcher": "exact", "value": "/a"}],
                    "query": {"b": [{"matcher": "array", "value": ["1", "2"]}]},
                    "headers": {"Accept": [{"matcher": "exact", "value": "*/*"}]},
                    "body": [{"matcher": "exact", "value": ""}],
                },
                "response": {
                    "status": 200,
                    "body": "aGk=",
                    "encodedBody": True,
                    "templated": False,
                    "headers": {"Content-Type": ["text/plain"]},
                },
            }
        ],
        "globalActions": {"delays": []},
    },
    "meta": {"schemaVersion": "v5.2", "hoverflyVersion": "v1.9.0"},
}


def _recordings_of_others(folder: Path) -> None:
    put(folder / "one.har", json.dumps(_HAR))
    ours = read_cassette(ROOT / "cassettes/streaming/answer.yaml")
    (folder / "ours.har").write_bytes(har_of(ours))
    put(folder / "postman.json", json.dumps(_POSTMAN))
    put(folder / "ruby.yml", _RUBY)
    put(folder / "wiremock.json", json.dumps(_WIREMOCK))
    put(folder / "betamax.json", json.dumps(_BETAMAX))
    put(folder / "polly.json", json.dumps(_POLLY))
    put(folder / "nock.json", json.dumps(_NOCK))
    put(folder / "hoverfly.json", json.dumps(_HOVERFLY))
    with zipfile.ZipFile(folder / "playwright.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("har.har"), json.dumps(_HAR))
        archive.writestr(zipfile.ZipInfo("body.bin"), b"hi")


def _traces_of_agents(folder: Path) -> None:
    for name, value in told_traces.FORMATS.items():
        lines = value if isinstance(value, list) else [value]
        put(folder / f"{name}.jsonl", "".join(f"{json.dumps(each)}\n" for each in lines))


def _learned_traces(folder: Path) -> Said:
    reader = TraceReader([folder], io.BytesIO())
    for trace in reader.traces():
        if trace.turns and trace.turns[0].user:
            learned = learned_of(trace)
            terms = CaseTerms(case_id(learned.facts, ""), coverage_of(trace), why="wrong")
            yield as_yaml(propose(learned.facts, learned.tools, terms))
    yield from reader.problems


def _wiremock_folder(folder: Path) -> None:
    for number, mapping in enumerate(_WIREMOCK["mappings"]):
        put(folder / f"mappings/{number}.json", json.dumps(mapping))
    put(folder / "mappings/more/all.json", json.dumps(_WIREMOCK))
    put(folder / "__files/body.bin", "hi")


def _imported(path: Path) -> Said:
    cassette, found = read_foreign(path, upstream="https://api.example.com")
    yield from found.notes
    made = redact_recording(cassette, Redactor(_redactor_rules(), _KEY))
    yield b"".join(cassette_text(made)).decode()
    cassette_json(made)
    yield from cassette_lines(made)


def _imported_one(folder: Path) -> Said:
    yield from _imported(_one(folder))


# --- snapshots ---


def _suite(folder: Path) -> None:
    _base(folder, "chrome-enterprise")
    _base(folder, "sre")
    _copied(FIXTURES / "chrome-enterprise", "EC-004/*", "EC-012/*")(folder)
    _copied(FIXTURES / "sre", "late-deployment/*")(folder)
    extra = {
        "capturedAt": "2026-11-20T09:00:00Z",
        "errors": {"chromeEvents": "UNAUTHENTICATED: expired"},
        "faults": [{"method": "directory.users.list", "status": 503, "times": 1, "latency_ms": 1}],
        "http": [{"method": "GET", "url": "https://x.example.com/a", "body": {"a": 1}}],
        "tools": {"lookUp": {"responses": [{"result": {"a": 1}}]}},
        "resources": {"books:v1": {"volumes": [{"id": "1", "kind": "books#volume"}]}},
    }
    put(folder / "EC-900/overrides.json", json.dumps(extra))
    put(folder / "registry.json", json.dumps({"cases": [{"id": "EC-901"}, {"id": "EC-902"}]}))
    put(folder / "cases/one.yaml", "id: EC-903\ninput: Why?\n")


def _case_of(folder: Path) -> str | None:
    name = (folder / ".spoilt").read_text(encoding="utf-8").partition("/")[0]
    return name if (folder / name).is_dir() and name not in {"base", "cases"} else None


def _resolved(folder: Path) -> Said:
    worlds = SnapshotResolver(folder)
    yield from worlds.cases()
    resolved = worlds.resolve(SessionSpec(case=_case_of(folder)))
    yield from map(str, resolved.problems())
    for where, what in resolved.notes.changes:
        yield f"{resolved.where(where)}: {what}"
    for key in list(resolved.raw)[:3]:
        yield from map(str, origins(resolved.layers, f"/{key}"))


def _declared(folder: Path) -> Said:
    resolved = SnapshotResolver(folder).resolve(SessionSpec())
    yield from map(str, resolved.problems())


def _document_suite(folder: Path) -> None:
    put(folder / "apis" / "shop.yaml", "api: shop\nopenapi: openapi/shop.json\nbase_path: ''\n")
    put(folder / "apis" / "trips.yaml", "api: trips\nopenapi: openapi/trips.yaml\n")
    put(folder / "apis" / "openapi" / "shop.json", json.dumps(SHOP, indent=1))
    trips = yaml.safe_dump(json.loads(json.dumps(TRIPS)))
    put(folder / "apis" / "openapi" / "trips.yaml", trips)


def _documented(folder: Path) -> Said:
    """Every operation of a document that can be loaded is asked; refusals are answers."""
    for api in suite_apis(folder).apis:
        yield from map(str, api.document_problems())
        yield str(openapi_of(api.file))
        for operation in api.operations.values():
            sent = ["7" for _ in operation.placeholders]
            call = DeclaredCall(
                operation, tuple(sent), {"limit": ["x"], "a[b]": ["1"]},
                {"name": "Bo", "id": 7}, cast(World, None),
            )  # fmt: skip
            if operation.kind == "documented" and api.documented is not None:
                try:
                    yield str(api.documented.answer(call))
                except ApiError as error:
                    yield error.message


def _linted(folder: Path) -> Said:
    for problem in lint_suite(folder, hints=True).problems:
        yield f"{problem.level}: {problem}"


_ASKED = (
    "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits?type=all",
    "https://admin.googleapis.com/admin/directory/v1/users?customer=my_customer",
    "https://admin.googleapis.com/admin/directory/v1/groups?customer=my_customer",
    "https://admin.googleapis.com/admin/reports/v1/activity/users/all/applications/chrome",
    "https://chromepolicy.googleapis.com/v1/customers/my_customer/policySchemas",
    "https://cloudidentity.googleapis.com/v1/policies",
    "https://cloudresourcemanager.googleapis.com/v3/projects:search",
    "https://x.example.com/a",
    "https://cloudtrace.googleapis.com/v1/projects/shop-prod/traces?view=COMPLETE",
    "https://monitoring.googleapis.com/v3/projects/shop-prod/alertPolicies",
)
_CLOCKS = ("shift", "frozen", "real")


def _served(folder: Path) -> Said:
    """What could be opened answers: no request ends in an error of the server's own."""
    spoilt = (folder / ".spoilt").read_text(encoding="utf-8")
    clock = _CLOCKS[len(spoilt) % len(_CLOCKS)]
    transport = EmulatorTransport(folder, SessionSpec(case=_case_of(folder), clock=clock))
    with httpx.Client(transport=transport) as client:
        for url in _ASKED:
            answer = client.get(url)
            if "Internal error encountered" in answer.text:
                raise AssertionError(f"GET {url} answers {answer.status_code}: {answer.text}")
    transport.session.state()
    yield from ()


# --- redaction, plans, drift ---

_RULES = """\
rules:
- name: ticket
  kind: ticket
  about: Tickets of ours.
  pattern: 'TCK-[0-9]{6}'
- name: badge
  kind: badge
  fields: [badgeNumber]
  collections: [badges]
  beside: [kind]
  check: luhn
'off': [phone]
allow: ['ops@example.com', '/^test-.*/']
"""


def _rules(folder: Path) -> None:
    put(folder / "redaction.yaml", _RULES)
    source = FIXTURES / "redaction.yaml"
    if source.is_file():
        put(folder / "ours.yaml", source.read_text(encoding="utf-8"))


def _read_rules(folder: Path) -> Said:
    rules = redaction_rules(_one(folder))
    yield from (f"{rule.name} {rule.kind} {rule.about} {rule.pattern}" for rule in rules.rules)
    redactor = Redactor(rules, _KEY)
    yield redactor.redact_text("TCK-123456 ops@example.com badgeNumber 4111111111111111")


def _read_plan(folder: Path) -> Said:
    plan, _ = read_plan(_one(folder), _catalog())
    values = {name: "x" for name, value in plan.variables.items() if value is None}
    given = [f"{name}={value}" for name, value in values.items()]
    yield from map(str, with_variables(plan, given, "2026-11-20T09:00:00Z").values())


def _drift_files(folder: Path) -> None:
    _base(folder, "chrome-enterprise")
    put(
        folder / "plain.json", '{"orgUnits": [{"name": "a"}], "capturedAt": "2026-11-20T09:00:00Z"}'
    )
    for path in (ROOT / "cassettes").glob("directory/*.yaml"):
        (folder / path.name).write_bytes(path.read_bytes())


def _drifted(folder: Path) -> Said:
    path = _one(folder)
    source = read_source(folder if path.parent.name == "base" else path)
    one = survey(source, _documents().name)
    yield staleness(one, timedelta(days=1), _NOW)
    changes = (*compare(one, one), *compare_with_documents(source, _documents()))
    finding = Finding(changes=changes, old=one.name, new="documents")
    yield from (form(finding) for form in DRIFT_FORMATS.values())


# --- cases ---

_NATIVE = """\
id: EC-057
title: Connector scope mis-targeted
category: connector
tags: [regression, connector]
input:
  - user: "Why are connector policies not applying to {{OU}}?"
    expect: {tools: {mode: any_order, calls: [{name: getChromeConnectorConfiguration}]}}
variables: {OU: Engineering}
fixtures:
  overrides: [EC-004]
  faults: [{method: directory.users.list, status: 503}]
  clock: 'frozen:2026-11-20T09:00:00Z'
expect:
  text: {contains: [a], not_contains: [b], regex: ['c+'], evidence: [d], forbidden_evidence: [e]}
  reply: {schema: [diagnosis, evidence]}
  rubric: {min_score: 2, criteria: [diagnosis, evidence, next]}
  tools:
    mode: in_order
    calls:
      - {name: list_org_units}
      - unordered:
          - {name: get_policy, args: {id: P1}, args_mode: subset}
          - {name: get_audit, optional: true}
    extra: {max: 2}
    forbidden: ["delete_*"]
    min: {search: 1}
  server: {requests: [{method: chromepolicy.customers.policies.resolve}]}
  files: [{path: out.txt, contains: done}]
  exit_code: 0
  budget: {rounds: 15, tokens: 20000, cost_usd: 0.5, seconds: 60}
  stop: {any: [{tool: provideDiagnosis, last: true}, {content: ["Diagnosis:"]}]}
repeat: 5
policy: {pass: all}
reference: [{calls: [{name: list_org_units}], answer: "..."}]
"""


def _native(folder: Path) -> None:
    put(folder / "one.yaml", _NATIVE)
    put(folder / "cases/two.yaml", "id: EC-002\ninput: Why?\nexpect: {text: {contains: [x]}}\n")
    put(folder / "variables.json", '{"OU": {"value": "Sales", "instead_of": ["Engineering"]}}')
    _copied(FIXTURES / "chrome-enterprise", "EC-004/*")(folder)
    put(folder / "base/a.json", '{"users": []}')


def _chrome(folder: Path) -> None:
    source = FIXTURES / "chrome-enterprise"
    registry = json.loads((source / "registry.json").read_bytes())
    chosen = registry["cases"][:3]
    put(folder / "registry.json", json.dumps({"cases": chosen}, indent=1))
    for item in chosen:
        for path in source.glob(f"cases/{item['id']}*.md"):
            put(folder / "cases" / path.name, path.read_text(encoding="utf-8"))
    put(folder / "base/a.json", '{"orgUnits": []}')
    put(folder / "EC-001/overrides.json", '{"orgUnits": [{"name": "a", "orgUnitPath": "/a"}]}')


def _read_cases(folder: Path) -> Said:
    suite = read_suite(folder)
    yield from map(str, suite.problems)
    yield from map(str, count_categories(suite.cases))
    for case in suite.cases[:4]:
        yield case_hash(case)
        paths = fixture_files(suite.path, case)
        texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
        prompts = prompts_of(case, template="{prompt}", texts=texts)
        snapshot = merged_fixtures(suite.path, case)
        yield case_text(case, prompts, snapshot, template="{prompt}")
        yield case_json(case, prompts, snapshot)
        yield as_yaml(written_case(case))


def _linted_cases(folder: Path) -> Said:
    yield from map(str, fixture_problems(read_suite(folder).path))


def _profiles(folder: Path) -> None:
    put(
        folder / "faults.yaml",
        "slow:\n- {method: directory.users.list, latency_ms: 10}\n"
        "down: [{method: '*', status: 503, times: 2}]\n",
    )


def _read_profiles(folder: Path) -> Said:
    found = fault_profiles(str(_one(folder)), folder)
    yield from (case.id for case in cross_with_profiles(CASES, found))


def _prices(folder: Path) -> None:
    put(
        folder / "prices.yaml",
        "our-llama-*: {input: 0.1, output: 0.1}\ngpt-5: {input: 1, output: 8}\n",
    )


def _read_prices(folder: Path) -> Said:
    yield from (f"{name} {price.output}" for name, price in suite_prices(folder).items())


def _script(folder: Path) -> None:
    put(
        folder / "script.yaml",
        'EC-001:\n  - "Expired."\n  - {text: "Renewed.", toolCalls: [{name: e, args: {a: 1}}]}\n'
        "EC-002: alone\n",
    )
    put(folder / "script.json", '{"EC-001": ["a", {"text": "b", "toolCalls": [{"name": "c"}]}]}')


def _read_script(folder: Path) -> Said:
    for case, lines in read_script(_one(folder)).items():
        for line in lines:
            said = line if isinstance(line, str) else read_reply(line, turn=1, prompt="").text
            yield f"{case} {said}"


# --- runs ---


def _runs(folder: Path) -> None:
    for name in ("1", "2"):
        run = stored_run(folder, name, {"C-1": (True, False), "C-2": (True,)}, decided=False)
        made = record(
            reply("a", call("look", a=1), call("see")),
            "b",
            case="C-1",
            number=3,
            run=name,
        )
        run.write_trial(made)
        run.extend({"C-1": 3})
        run.write_coverage(TOUCHED)
        decide(run, Limits())
    Baselines(folder).set(Baseline(run="1", suite="office", set_at="2026-11-20T09:00:00Z"))
    RegisteredSuites(folder).register(RegisteredSuite(name="o", path="fixtures/office"))


def _read_runs(folder: Path) -> Said:
    for name in ("1", "2"):
        run = RunFolder(folder / name)
        settings_of(run.manifest())
        result = decide(run, Limits())
        yield console_report(result, width=100, color=False, verbose=True)
        for reports in (REPORTS, *FORMATS.values()):
            made = [report(result) for report in reports.values()]
            yield from (text for text in made if isinstance(text, str))


def _compared_runs(folder: Path) -> Said:
    for name in ("1", "2"):
        yield read_run(folder / name).run.model_dump_json()
        run = RunFolder(folder / name)
        yield from map(str, run.canaries())
        list(judged_items(run))
    yield versus_text(
        compare_outcomes(stored_outcomes(folder / "1"), stored_outcomes(folder / "2"), Terms())
    )
    yield history_text(suite_history("office", folder))
    yield regressions_text("office", against_baseline("office", folder, Terms(threshold=0.1)))
    yield from (each.name for each in RegisteredSuites(folder).all())
    merge_runs([folder / "1", folder / "2"], folder, lambda: _NOW)


def _journals(folder: Path) -> None:
    run = stored_run(folder, "1", {"C-1": (True,)})
    path = run.path / "trials/C-1/1.json"
    trial = json.loads(path.read_bytes())
    trial["journal"]["entries"] = [
        json.loads(entry("directory.users.list", status=200, response_ref="r").model_dump_json())
    ]
    trial["journal"]["bodies"] = {"r": '{"users": [{"id": "1"}]}'}
    path.write_text(json.dumps(trial))


def _read_journals(folder: Path) -> Said:
    yield from (f"{each.case} {each.subject}" for each in find_case_reads(folder / "1"))
    yield from map(str, decide(RunFolder(folder / "1"), Limits()).decisions)


def _baseline(folder: Path) -> None:
    write_baseline(folder / "baseline.json", example_run())


def _read_baseline(folder: Path) -> Said:
    found = read_baseline(folder / "baseline.json")
    yield versus_text(compare_outcomes(found, found, Terms()))


def _review_results(folder: Path) -> None:
    made: ReviewResults = results_of(PUBLISHED, published_records())
    put(folder / "results.json", made.model_dump_json(indent=1))


def _read_review_results(folder: Path) -> Said:
    found = read_results(folder / "results.json")
    yield review_text(found)
    outcomes = outcomes_of_review(found)
    yield versus_text(compare_outcomes(outcomes, outcomes, Terms()))
    yield review_versus_text(found, found)


def _calibrations(folder: Path) -> None:
    rate = (0.5, 0.1, 0.9)
    made = Calibration(
        model="m", prompt="p", questions=("q",), positives=2, negatives=2, true_positive=1,
        true_negative=1, tpr=rate, tnr=rate, kappa=rate, measured=0.5, corrected=rate,
    )  # fmt: skip
    save_calibration(folder, made)


def _read_calibrations(folder: Path) -> Said:
    yield from (each.model for each in read_calibrations(folder))


_LABELS = "item,run,case,trial,question,criteria,reference,prompt,reply,label,note\n" + "".join(
    f'{number:04x},1,C-1,1,Why?,"a\nb",,Why?,"Because, so",{"pass" if number % 2 else "fail"},\n'
    for number in range(6)
)


def _label_table(folder: Path) -> None:
    put(folder / "labels.csv", _LABELS)


def _read_labels(folder: Path) -> Said:
    path = folder / "labels.csv"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return
    yield from (f"{each.item} {each.run}" for each in read_labels(text, str(path)))


def _results_of_tools(folder: Path) -> None:
    for format in ("inspect", "promptfoo", "otel", "junit", "csv", "parquet"):
        name, report = next(iter(FORMATS[format].items()))
        made = report(example_run())
        (folder / name).write_bytes(made if isinstance(made, bytes) else made.encode())


def _imported_results(folder: Path) -> Said:
    for path in sorted(folder.glob("*")):
        try:
            _, results = read_foreign_results(SourceFile(path), ReadOptions())
        except HarnessError as error:
            yield str(error).replace(str(folder), "")
            continue
        cases, records = assemble_run(results, ReadOptions())
        yield from (case.model_dump_json() for case in cases)
        yield from (record.model_dump_json() for record in records)


_CODING = _copied(FIXTURES / "coding-tasks", "suite.json", "workspaces/*/*")
_REVIEWS = _copied(FIXTURES / "content-review", "cases/*", "references/*")
_RUN = "1/**/*.json"
_OVERRIDDEN = ("*.yaml", "EC-004/*", "base/*")

LOADERS = (
    Loader("cassettes", _cassettes, _read_cassette, weight=6),
    Loader("files searched for secrets", _cassettes, _linted_file, weight=1),
    Loader("cassettes that become snapshots", _cassettes, _made_snapshot, weight=1),
    Loader("recordings of other tools", _recordings_of_others, _imported_one, weight=8),
    Loader("traces of agents", _traces_of_agents, _learned_traces, weight=4),
    Loader("WireMock's folders", _wiremock_folder, _imported),
    Loader("snapshots", _suite, _resolved, weight=6),
    Loader(
        "declared APIs",
        _copied(FIXTURES / "travel", "apis/*", "base/*"),
        _declared,
        ("apis/*", "base/*"),
        weight=4,
    ),
    Loader("documents of APIs", _document_suite, _documented, ("apis/openapi/*",), weight=4),
    Loader("snapshots, linted", _suite, _linted, ("*/*.json",), weight=1),
    Loader("snapshots, served", _suite, _served, ("*/*.json",)),
    Loader("redaction rules", _rules, _read_rules),
    Loader("capture plans", _copied(ROOT / "cassettes/plans", "*.yaml"), _read_plan),
    Loader("drift", _drift_files, _drifted),
    Loader("native cases", _native, _read_cases, ("*.yaml", "cases/*", "*.json"), weight=6),
    Loader("registries", _chrome, _read_cases, ("registry.json", "cases/*"), weight=4),
    Loader("coding tasks", _CODING, _read_cases, ("suite.json",)),
    Loader("reviews", _REVIEWS, _read_cases),
    Loader("EvalSets", _copied(FIXTURES / "sre", "*.json"), _read_cases, weight=4),
    Loader("suites, linted", _native, _linted_cases, _OVERRIDDEN, weight=1),
    Loader("fault profiles", _profiles, _read_profiles),
    Loader("prices", _prices, _read_prices),
    Loader("scripts of agents", _script, _read_script),
    Loader("runs", _runs, _read_runs, (_RUN,), weight=1, writes=True),
    Loader("runs, compared", _runs, _compared_runs, (_RUN, "*.json"), weight=2, writes=True),
    Loader("journals of runs", _journals, _read_journals, ("1/trials/**/*.json",), writes=True),
    Loader("baselines", _baseline, _read_baseline),
    Loader("results of reviews", _review_results, _read_review_results),
    Loader("calibrations", _calibrations, _read_calibrations, weight=1),
    Loader("labels", _label_table, _read_labels),
    Loader("results of other tools", _results_of_tools, _imported_results, weight=4),
)
"""Every reader of files of both packages."""
