import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from mockserver.cassettes.files import write_cassette
from mockserver.cli.main import app
from mockserver.drift import find_tier
from mockserver.drift.reports import EXIT_CODES, STALE
from mockserver.errors import MockServerError
from mockserver.model import Cassette, CassetteInfo
from tests.command_line import command_of
from tests.documents import DOCS, code_in, table
from tests.recordings import DIRECTORY, interaction

USERS = f"{DIRECTORY}/users?customer=my_customer"


def drift(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["drift", *map(str, arguments)])


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return cassette(tmp_path / "old.yaml", {"users": [{"id": "1", "suspended": False}]})


def cassette(path: Path, answer: Any, at: str = "2026-01-01T00:00:00Z") -> Path:
    write_cassette(Cassette(path.name, (interaction(USERS, answer, at=at),), CassetteInfo()), path)
    return path


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"users": [{"id": "2", "suspended": True}]}, 0),
        ({"users": [{"id": "2", "suspended": True, "new": 1}]}, 10),
        ({"users": [{"id": "2", "suspended": "yes"}]}, 12),
        ({"users": [{"id": "2"}]}, 13),
    ],
    ids=["same", "added", "type", "removed"],
)
def test_the_exit_code_says_which_tier(old: Path, tmp_path: Path, answer: Any, code: int) -> None:
    result = drift(old, cassette(tmp_path / "new.yaml", answer))
    assert (result.exit_code, result.output.startswith("drift: ")) == (code, True)


def test_less_than_what_is_asked_for_does_not_fail(old: Path, tmp_path: Path) -> None:
    new = cassette(tmp_path / "new.yaml", {"users": [{"id": "1", "suspended": False, "a": 1}]})
    assert drift(old, new, "--fail-on", "type").exit_code == 0


def test_a_recording_that_is_too_old_fails(old: Path, tmp_path: Path) -> None:
    result = drift(old, "--max-age", "1d")
    assert (result.exit_code, "stale: " in result.output) == (14, True)
    fresh = cassette(tmp_path / "new.yaml", {}, at="2999-01-01T00:00:00Z")
    assert drift(fresh, "--max-age", "1d").exit_code == 0


def test_a_recording_is_held_against_the_documents(tmp_path: Path) -> None:
    wrong = cassette(tmp_path / "a.yaml", {"users": [{"primaryMail": "x"}]})
    result = drift(wrong, "--discovery", "--format", "json")
    assert result.exit_code == 13
    value = json.loads(result.output)
    assert (value["new"], value["changes"][0]["path"]) == (
        "the installed Discovery documents",
        "/users/*/primaryMail",
    )


def test_cases_that_read_what_changed_are_told(old: Path, tmp_path: Path) -> None:
    trial = tmp_path / "run" / "trials" / "EC-007" / "1.json"
    trial.parent.mkdir(parents=True)
    entry = {"method_id": "directory.users.list", "status": 200, "response_ref": "a"}
    bodies = {"a": '{"users": [{"suspended": true}]}'}
    trial.write_text(json.dumps({"journal": {"entries": [entry], "bodies": bodies}}), "utf-8")
    new = cassette(tmp_path / "new.yaml", {"users": [{"id": "1"}]})
    assert "read by EC-007" in drift(old, new, "--runs", tmp_path / "run").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to compare with"),
        (("--max-age", "1d", "--format", "xml"), "no format 'xml'"),
        (("--max-age", "1d", "--fail-on", "all"), "no tier 'all'"),
        (("--max-age", "soon"), "is no age"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_an_error(
    old: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = drift(old, *arguments)
    assert isinstance(result.exception, MockServerError)
    assert message in str(result.exception)


def test_the_document_tells_every_option_and_exit_code() -> None:
    document = DOCS["drift"]
    params = command_of(app, "drift").params
    options = {option for item in params for option in item.opts if option.startswith("--")}
    told = {name for row in table(document, "Option") for name in code_in(row[0])}
    assert told == options - {"--help"}
    codes = {row[0].strip("`"): int(row[2]) for row in table(document, "Tier")}
    tiers = {name: find_tier(name) for name in codes if name != "stale"}
    assert codes == {
        **{name: EXIT_CODES[tier] for name, tier in tiers.items() if tier is not None},
        "stale": STALE,
    }
