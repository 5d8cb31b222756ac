"""How a program is led to its recorder."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mockserver.capture.programs import base_urls, describe_program, serve_while
from mockserver.capture.recorder import Recorder
from mockserver.capture.upstream import NoAnswerError, ProgramRoute
from mockserver.cassettes.files import read_cassette
from mockserver.errors import MockServerError
from mockserver.http.server import real_time
from mockserver.model import RecordedProgram, program_of
from mockserver.redaction import Redactor, RuleSet
from tests.tapes import recorded


@pytest.mark.parametrize(
    ("environ", "name", "url"),
    [
        ({}, "OPENAI_BASE_URL", "https://api.openai.com/v1"),
        ({}, "ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
        ({}, "OLLAMA_HOST", "http://127.0.0.1:11434"),
        ({}, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", None),
        ({}, "OPENAI_API_BASE", None),
        ({"OPENAI_BASE_URL": "http://gw:4000/v1/"}, "OPENAI_BASE_URL", "http://gw:4000/v1"),
        ({"OLLAMA_HOST": "0.0.0.0:1234"}, "OLLAMA_HOST", "http://127.0.0.1:1234"),
        ({"MCP_URL": "http://localhost:3001/mcp"}, "MCP_URL", "http://localhost:3001/mcp"),
        ({"DATABASE_URL": "postgres://localhost/a"}, "DATABASE_URL", None),
        ({"SHOP_URL": "https://shop.example.com"}, "SHOP_URL", None),
        ({"SHOP": "https://shop.example.com/a"}, "SHOP", "https://shop.example.com/a"),
        ({"A_URL": "http://localhost:1/a?b=c"}, "A_URL", None),
    ],
)
def test_base_urls_are_found_in_the_environment(
    environ: dict[str, str], name: str, url: str | None
) -> None:
    named = ["SHOP"] if "SHOP" in environ else []
    assert base_urls(environ, named).get(name) == url


def test_a_named_variable_must_hold_a_url() -> None:
    with pytest.raises(MockServerError, match="the environment variable SHOP holds no http"):
        base_urls({"SHOP": "here"}, ["SHOP"])


def scope(host: str, path: str, query: bytes = b"") -> dict[str, Any]:
    return {
        "method": "POST", "scheme": "http", "raw_path": path.encode(), "path": path,
        "query_string": query, "headers": [(b"host", host.encode()), (b"x-a", b"1")],
    }  # fmt: skip


ROUTE = ProgramRoute(own=frozenset({"127.0.0.1:9"}), bases={"A_URL": "https://a.example.com/v1"})


@pytest.mark.parametrize(
    ("asked", "url"),
    [
        (scope("127.0.0.1:9", "/A_URL/chat", b"x=1"), "https://a.example.com/v1/chat?x=1"),
        (scope("127.0.0.1:9", "/A_URL"), "https://a.example.com/v1"),
        (scope("127.0.0.1:9", "/A_URL", b"x=1"), "https://a.example.com/v1?x=1"),
        (scope("b.example.com", "/A_URL/x"), "http://b.example.com/A_URL/x"),
    ],
)
def test_requests_lead_to_what_the_variable_held(asked: dict[str, Any], url: str) -> None:
    made = ROUTE.request(asked, b"body")
    assert (ROUTE.url(asked), made.url, made.body) == (url, url, b"body")
    assert ("x-a", "1") in made.headers
    assert dict(made.headers)["host"] == url.split("/")[2]


def test_a_path_without_a_variable_leads_nowhere() -> None:
    with pytest.raises(NoAnswerError, match="names no variable that is led here: A_URL"):
        ROUTE.request(scope("127.0.0.1:9", "/B_URL/chat"), b"")


def test_a_cassette_says_how_its_program_was_run_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    redactor = Redactor(RuleSet(()), b"a key for tests")
    recorder = Recorder.open(path, redactor=redactor, clock=real_time)
    recorder.record(recorded())
    recorder.finish()
    bases = {"API_URL": "https://api.example.com/v1", "B_URL": "https://unused.example.com"}
    told = RecordedProgram(
        command=("python", "a.py"), exit_code=2, variables=bases, output="done\n"
    )
    describe_program(path, recorder, told)
    cassette = read_cassette(path)
    expected = told.model_copy(update={"variables": {"API_URL": bases["API_URL"]}})
    assert program_of(cassette.info.extra) == expected
    assert len(cassette.interactions) == 1


class Stopped:
    """A recorder that is stopped before anything comes in."""

    def stop(self) -> None:
        """There is nothing to stop."""

    async def serve(self, route: object, entrance: object) -> None:
        """End at once."""


async def test_what_runs_beside_a_recorder_that_stops_is_told() -> None:
    ready = SimpleNamespace(ready=asyncio.Event())
    entrance = SimpleNamespace(route=None, listener=ready)

    async def never() -> None:
        raise AssertionError

    with pytest.raises(MockServerError, match="stopped before the program had ended"):
        await serve_while(Stopped(), entrance, never)  # type: ignore[arg-type]
