"""What commands print of a suite and of recordings, in whole."""

from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest

from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cli.main import app
from tests.command_transcripts import commands_of, printed, write_transcript

GOLDEN = Path(__file__).with_name("transcript.golden.txt")
SHIPPED = Path(__file__).parents[3] / "cassettes" / "directory" / "orgunits.yaml"
FILES = {
    "office/base/tenant.json": """\
{"capturedAt": "2026-11-19T10:00:00Z",
 "customer": {"id": "C0123abcd", "customerDomain": "example.com"},
 "orgUnits": [{"name": "Office", "orgUnitPath": "/Office", "parentOrgUnitPath": "/",
               "orgUnitId": "id:03ph8a2z1office"}]}
""",
    "office/A-1/overrides.json": """\
{"orgUnits": [{"name": "Laboratory", "orgUnitPath": "/Laboratory", "parentOrgUnitPath": "/",
               "orgUnitId": "id:03ph8a2z1labora"}],
 "faults": [{"method": "reports.activities.list", "status": 503}]}
""",
    "office/A-2/overrides.json": '{"orgUnits": {"Office": {"description": "Main"}}}\n',
    "broken/base/tenant.json": '{"orgUnits": [{"nam": "Office"}], "orgUnit": []}\n',
    "note.txt": "Write to ada.lovelace@quillbrook.io, password: plum-quartz-walks\n",
}


def prepared(folder: Path) -> Path:
    """Two suites, a cassette, another one of its first interactions, and a note."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    copy(SHIPPED, folder / "units.yaml")
    whole = read_cassette(SHIPPED)
    write_cassette(replace(whole, interactions=whole.interactions[:3]), folder / "part.yaml")
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared(tmp_path_factory.mktemp("transcript"))


@pytest.mark.parametrize(("command", "told"), commands_of(GOLDEN).items(), ids=commands_of(GOLDEN))
def test_a_command_prints_what_is_written_down(
    place: Path, monkeypatch: pytest.MonkeyPatch, command: str, told: str
) -> None:
    """`python -m tests.mockserver.cli.test_transcript` writes them anew."""
    monkeypatch.chdir(place)
    assert printed(app, command, place) == told


if __name__ == "__main__":
    write_transcript(GOLDEN, app, prepared)
