from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cassettes.files import write_cassette
from mockserver.cli.cassette import app
from mockserver.errors import MockServerError
from mockserver.model import Cassette, Interaction, RecordedRequest, RecordedResponse

SHIPPED = Path(__file__).parents[3] / "cassettes" / "directory" / "orgunits.yaml"


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(item) for item in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def test_the_interactions_of_a_cassette_are_listed() -> None:
    lines = run("show", SHIPPED).splitlines()
    assert lines[0] == "recorded at: 2026-11-20T09:00:00.000Z"
    assert "   3  GET    404  admin.googleapis.com/admin/directory" in lines[5]
    assert lines[-1] == "5 interactions"


def test_one_interaction_is_shown_whole() -> None:
    shown = run("show", SHIPPED, 4)
    assert '\n  "parentOrgUnitPath": "/"\n}\n' in shown
    assert "took 240.75 ms, directory.orgunits.insert, ended: complete" in shown


def test_an_interaction_that_is_not_there_is_named() -> None:
    with pytest.raises(MockServerError, match="has 5 interactions, there is no 9"):
        run("show", SHIPPED, 9)


def test_two_cassettes_are_compared(tmp_path: Path) -> None:
    for name, body in (("a.yaml", b'{"a": 1}'), ("b.yaml", b'{"a": 2}')):
        request = RecordedRequest("GET", "https://example.com/x")
        tape = Cassette(name, (Interaction(request, RecordedResponse(200, body=body)),))
        write_cassette(tape, tmp_path / name)
    told = run("diff", tmp_path / "a.yaml", tmp_path / "b.yaml", code=1)
    assert "        body /a: 1 -> 2\n0 same, 1 changed, 0 added, 0 removed\n" in told
    assert run("diff", SHIPPED, SHIPPED) == "5 same, 0 changed, 0 added, 0 removed\n"
