import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import compile_path

from harness.server.routes import ROUTES, openapi
from tests.harness.server.conftest import Api

SCHEMAS = Path(__file__).parents[3] / "docs" / "reference" / "schemas"


def test_no_route_hides_another() -> None:
    seen: set[tuple[str, str]] = set()
    for route in ROUTES:
        pattern = compile_path(route.path)[0].pattern
        assert (route.verb, pattern) not in seen
        seen.add((route.verb, pattern))


def test_what_changes_something_is_no_get() -> None:
    for route in ROUTES:
        assert route.body is None or route.verb == "POST"


DOCUMENTED = {
    "GET /api/eval/suites", "POST /api/eval/suites", "POST /api/eval/suites/{name}/run",
    "GET /api/eval/runs", "GET /api/eval/runs/{id}", "POST /api/eval/runs/{id}/baseline",
    "GET /api/eval/baselines", "GET /api/eval/regressions/{suite}", "POST /api/eval/run",
    "DELETE /api/eval/baselines/{id}", "POST /api/eval/rag", "GET /api/eval/harnesses",
    "GET /api/benchmarks",
}  # fmt: skip


@pytest.fixture(scope="module")
def document() -> Any:
    return openapi(ROUTES, token=True)


def test_every_route_is_described(document: Any) -> None:
    """CTX-29..36, CTXR-03: the documented routes, and those of the real system."""
    described = {
        f"{verb.upper()} {path}" for path, verbs in document["paths"].items() for verb in verbs
    }
    assert described == {f"{route.verb} {route.path}" for route in ROUTES}
    assert described >= DOCUMENTED


def test_every_reference_leads_somewhere(document: Any) -> None:
    named = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
    assert named == set(document["components"]["schemas"])


def test_operations_have_ids_of_their_own(document: Any) -> None:
    ids = [op["operationId"] for verbs in document["paths"].values() for op in verbs.values()]
    assert len(set(ids)) == len(ids) == len(ROUTES)


def test_names_are_those_of_the_answers(document: Any) -> None:
    properties = document["components"]["schemas"]["RunAccepted"]["properties"]
    assert {"runId", "suite", "state", "url", "events"} <= set(properties)


def test_the_token_is_described_where_there_is_one(document: Any) -> None:
    written = json.loads((SCHEMAS / "harness.openapi.json").read_bytes())
    assert openapi(ROUTES, token=False) == written
    written["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    assert document == {**written, "security": [{"token": []}]}


def test_it_is_served(idle: Api, document: Any) -> None:
    assert idle.get("/openapi.json").json() == document
