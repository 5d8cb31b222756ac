import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cassettes.files import read_cassette
from mockserver.cli.cassette import app
from mockserver.errors import FormatError, MockServerError

SHIPPED = Path(__file__).parents[3] / "cassettes" / "directory" / "orgunits.yaml"
TOKEN = "ya29.secret-token-0001"
KEY = "AIzaSyD-0123456789abcdefghijklmnopqrstu"
HAR = {
    "log": {
        "entries": [
            {
                "request": {
                    "method": "GET",
                    "url": f"https://api.acme-widgets.dev/v1/me?key={KEY}",
                    "headers": [{"name": "Authorization", "value": f"Bearer {TOKEN}"}],
                },
                "response": {
                    "status": 200,
                    "statusText": "OK",
                    "headers": [{"name": "Content-Type", "value": "application/json"}],
                    "content": {"size": 32, "text": '{"email": "jane.roe@acme-widgets.dev"}'},
                },
            },
            {"request": {"method": "GET", "url": "https://h/"}, "response": {"status": 0}},
        ]
    }
}
SECRETS = (TOKEN, KEY, "jane.roe")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key for tests")
    monkeypatch.chdir(tmp_path)


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(item) for item in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("command", ["import", "redact"])
def test_a_recording_of_another_tool_is_taken_over_without_its_secrets(
    tmp_path: Path, command: str
) -> None:
    har, to = tmp_path / "a.har", tmp_path / "a.yaml"
    har.write_text(json.dumps(HAR), encoding="utf-8")
    told = run(command, har, *(["--to", to] if command == "import" else [to]))
    assert "#/log/entries/1/response: no response was recorded; left out" in told
    assert "a.yaml: 1 interactions from HAR, 3 values replaced" in told
    text = to.read_text(encoding="utf-8")
    assert [secret for secret in SECRETS if secret in text + told] == []
    assert read_cassette(to).info.key_id


def test_redacting_twice_changes_nothing(tmp_path: Path) -> None:
    har = tmp_path / "a.har"
    har.write_text(json.dumps(HAR), encoding="utf-8")
    run("redact", har, tmp_path / "a.yaml")
    run("redact", tmp_path / "a.yaml", tmp_path / "b.yaml")
    assert (tmp_path / "a.yaml").read_bytes() == (tmp_path / "b.yaml").read_bytes()


@pytest.mark.parametrize("name", ["a.har", "a.json", "a.yaml"])
def test_a_cassette_is_exported(tmp_path: Path, name: str) -> None:
    assert run("export", SHIPPED, "--to", tmp_path / name) == f"{tmp_path / name}: 5 interactions\n"
    if name != "a.har":
        assert read_cassette(tmp_path / name).interactions == read_cassette(SHIPPED).interactions
    else:
        held = json.loads((tmp_path / name).read_bytes())
        assert len(held["log"]["entries"]) == 5


def test_what_has_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MockServerError, match=r"use \.har, \.json or \.yaml"):
        run("export", SHIPPED, "--to", tmp_path / "a.txt")
    (tmp_path / "x.json").write_text("[]", encoding="utf-8")
    with pytest.raises(FormatError, match="no recording that we know"):
        run("import", tmp_path / "x.json", "--to", tmp_path / "a.yaml")
