import json
from pathlib import Path

import pytest

from mockserver.cassettes.leaks import file_leaks
from mockserver.errors import FormatError
from mockserver.redaction import RuleSet

RULES = RuleSet.default()
CASSETTE = """\
version: 1
interactions:
- request: {method: GET, uri: 'https://api.example.com/x', headers: {}, body: null}
  response:
    body: {string: '%s'}
    headers: {Content-Type: [application/json]}
    status: {code: 200, message: OK}
"""
HAR = {
    "log": {
        "version": "1.2",
        "creator": {"name": "x", "version": "1"},
        "entries": [
            {
                "startedDateTime": "2026-01-01T00:00:00Z",
                "time": 1,
                "request": {
                    "method": "GET",
                    "url": "https://api.example.com/x?key=0123456789abcdefXY",
                    "headers": [{"name": "Authorization", "value": "Bearer hunter2hunter2"}],
                },
                "response": {"status": 200, "headers": [], "content": {"text": "{}"}},
            }
        ],
    }
}


def leaks_of(path: Path, content: str) -> list[str]:
    path.write_text(content, encoding="utf-8")
    return [str(leak) for leak in file_leaks(path, RULES)]


def test_a_cassette_is_looked_at_by_the_names_of_its_fields(tmp_path: Path) -> None:
    found = leaks_of(tmp_path / "a.yaml", CASSETTE % '{"givenName": "Ann Lovelace", "by": "Ann"}')
    assert found == ["line 5, interaction 1, response body: person_name (as it is)"]


def test_a_clean_cassette_is_clean(tmp_path: Path) -> None:
    assert leaks_of(tmp_path / "a.yaml", CASSETTE % '{"email": "ann@example.com"}') == []


def test_a_short_secret_is_told_by_its_part(tmp_path: Path) -> None:
    found = leaks_of(tmp_path / "a.yaml", CASSETTE % '{"pin": "ab1", "grid": "ab1"}')
    assert found == ["interaction 1, response body: secret (by the name of its field)"]


def test_a_har_file_is_read_as_one(tmp_path: Path) -> None:
    found = leaks_of(tmp_path / "a.har", json.dumps(HAR))
    assert any("interaction 1, request headers: token" in place for place in found)
    assert any("interaction 1, request URL: api_key" in place for place in found)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '{"user": {"password": "hunter2hunter2"}}'),
        ("a.yaml", "user:\n  password: hunter2hunter2\n"),
        ("a.log", "one\nlogin password=hunter2hunter2\n"),
        ("broken.yaml", "a: [\npassword: hunter2hunter2\n"),
    ],
)
def test_any_text_is_looked_at(tmp_path: Path, name: str, content: str) -> None:
    found = leaks_of(tmp_path / name, content)
    assert found
    assert "hunter2" not in "".join(found)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        file_leaks(tmp_path / "none.yaml", RULES)
