from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cassettes.files import write_cassette
from mockserver.cassettes.files.comparison import compare_cassettes
from mockserver.cli.cassette import app, lint
from mockserver.cli.cassette_pages import (
    body_lines,
    cassette_lines,
    comparison_lines,
    interaction_lines,
    visible,
)
from mockserver.errors import LeakError, MockServerError
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Chunk,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction import Redactor, RuleSet

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


TEXT = "sent to ann@corp.io with password=hunter2hunter2\n"


def output(*arguments: object) -> str:
    import typer

    app = typer.Typer()
    app.command()(lint)
    result = CliRunner().invoke(app, [str(item) for item in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_what_is_clean_passes(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(Redactor(RuleSet.default(), b"key").redact_text(TEXT))
    (tmp_path / "picture.png").write_text(TEXT)
    assert output(tmp_path) == "no secrets in 1 files\n"


def test_places_are_told_and_never_values(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"one\n{TEXT}")
    with pytest.raises(LeakError) as raised:
        output(tmp_path / "a.log")
    assert raised.value.exit_code == 1
    assert f"{tmp_path}/a.log: line 2: email (as it is)" in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert "corp.io" not in str(raised.value)


def test_the_users_own_rules_count(tmp_path: Path) -> None:
    rules = tmp_path / "own.yaml"
    rules.write_text("rules: [{name: ticket, kind: ticket, pattern: 'TCK-[0-9]+'}]")
    (tmp_path / "a.log").write_text("see TCK-4711")
    assert output(tmp_path / "a.log").startswith("no secrets")
    with pytest.raises(LeakError, match="ticket"):
        output(tmp_path / "a.log", "--redaction", rules)


def test_a_file_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(MockServerError, match="cannot be read"):
        output(tmp_path / "none.yaml")


def test_what_could_move_the_cursor_or_turn_the_text_is_written_out() -> None:
    assert visible("a\x1b[2J\r\x9b\u202eb\t\n") == "a\\x1b[2J\\r\\x9b\\u202eb\t\n"


@pytest.mark.parametrize(
    ("media", "body", "lines"),
    [
        ("application/json", b'{"a":[1]}', ["{", '  "a": [', "    1", "  ]", "}"]),
        ("application/json", b"{", ["{"]),
        ("application/x-www-form-urlencoded", b"a=1&b=c+d", ["a = 1", "b = c+d"]),
        ("text/plain", b"a\nb\n", ["a", "b"]),
        ("image/png", b"\xff\x00", ["(2 bytes of image/png)"]),
        ("", b"\xff", ["(1 bytes of unknown type)"]),
    ],
    ids=["json", "not json", "form", "text", "binary", "untyped"],
)
def test_bodies_are_shown_so_that_they_can_be_read(
    media: str, body: bytes, lines: list[str]
) -> None:
    headers = (("Content-Type", media),) if media else ()
    assert list(body_lines(headers, body)) == lines


STREAM = Interaction(
    RecordedRequest("GET", "https://example.com/" + "x" * 200),
    RecordedResponse(
        200, "", (), b"ab", "gzip;level=6", (Chunk(0.0, 1), Chunk(5.5, 1)), ended="reset"
    ),
)


def test_a_stream_says_how_it_came_and_how_it_ended() -> None:
    lines = list(interaction_lines(STREAM))
    assert "came as gzip, ended: reset" in lines
    assert lines[-1] == "chunk of 1 bytes after 5.5 ms"
    info = CassetteInfo(upstream="https://example.com", revisions={"a:v1": "2"}, key_id="12345678")
    listed = list(cassette_lines(Cassette("a", (STREAM,), info)))
    assert listed[:3] == [
        "redacted with key: 12345678",
        "upstream: https://example.com",
        "revisions: a:v1 2",
    ]
    assert listed[3].endswith("...  (no type, 2 bytes, 2 chunks, reset)")


def test_what_was_added_and_removed_is_listed() -> None:
    other = Interaction(RecordedRequest("PUT", "https://example.com/"), RecordedResponse(204))
    found = compare_cassettes(
        Cassette("a", (STREAM,)), Cassette("b", (other,)), key=lambda request: request.url
    )
    lines = list(comparison_lines(found))
    assert lines[0].startswith("-    1  GET    200  example.com/xxx")
    assert lines[1].startswith("+    1  PUT    204  example.com/  (no type, 0 bytes)")
    assert lines[2] == "0 same, 0 changed, 1 added, 1 removed"
