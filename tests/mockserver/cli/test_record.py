"""Programs whose traffic is recorded, and that run again without a network."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mockserver.cassettes.files import write_cassette
from mockserver.cassettes.replay import Variation
from mockserver.cli.env_check import sort_connections
from mockserver.cli.main import app
from mockserver.cli.record import variation_lines
from mockserver.cli.replay_program import ReplayUse, count_use, use_lines
from mockserver.client import recorded_program
from mockserver.errors import MockServerError
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Journal,
    JournalEntry,
    Miss,
    PlayedRecording,
    SessionReport,
    UnusedRecording,
)
from tests import warm
from tests.acceptance.canary import SECRETS, Canary
from tests.captures import KEY
from tests.tapes import recorded, written


def entry(seq: int, **more: Any) -> JournalEntry:
    given = {"method_id": "", "http_method": "GET", "path": "/a", "host": "api.example.com",
             "status": 200, "source": "cassette", "duration_ms": 1.0, **more}  # fmt: skip
    return JournalEntry(seq=seq, at="2026-11-23T10:00:00Z", session="s", **given)


def played(**more: Any) -> PlayedRecording:
    return PlayedRecording(cassette="c.yaml", number=1, **more)


MISS = Miss(
    blame="replay_miss", reason="nothing was recorded; to add one: understudy cassette stub"
)
REFUSED = Miss(blame="not_emulated", reason="b.example.com is not emulated")


def test_answers_are_counted_by_how_they_were_found() -> None:
    entries = (
        entry(1, recording=played()),
        entry(2, recording=played(timeless=True, again=True)),
        entry(3, recording=played(warning="recorded after PUT /a")),
        entry(4, miss=MISS, source="none", status=424),
        entry(5, http_method="CONNECT", path="b.example.com:443", miss=REFUSED, source="none"),
    )
    left = (UnusedRecording(tape="c.yaml", number=2, method="GET", url="https://a/b"),)
    report = SessionReport(
        id="s", journal=Journal(entries=entries), unused=left, telemetry={"api.openai.com": 2}
    )
    found = count_use(report, sort_connections(entries, ["c.example.com"]))
    assert found == ReplayUse(
        1,
        ("GET api.example.com/a: played before; other times",
         "GET api.example.com/a: recorded after PUT /a"),
        ("GET api.example.com/a: nothing was recorded",),
        ("GET https://a/b (#2 of c.yaml)",),
        ("b.example.com:443: b.example.com is not emulated",
         "c.example.com: looked up past the proxy"),
        telemetry={"api.openai.com": 2},
    )  # fmt: skip
    lines = list(use_lines(found, 0, 0))
    assert lines[:2] == [
        "the program ended with 0, as when it was recorded",
        "answers: 1 exact, 2 near, 3 missing; 1 recordings unused",
    ]
    assert len(lines) == 9
    assert lines[-1] == "telemetry of SDKs, answered here and not counted: api.openai.com 2"


@pytest.mark.parametrize(
    ("use", "program", "strict", "code"),
    [
        (ReplayUse(1, (), (), (), ()), 0, True, 0),
        (ReplayUse(1, (), ("a",), (), ()), 7, True, 7),
        (ReplayUse(1, (), ("a",), (), ()), 0, False, 4),
        (ReplayUse(1, (), (), (), ("a",)), 0, False, 4),
        (ReplayUse(1, (), (), ("a",), ()), 0, False, 0),
        (ReplayUse(1, (), (), ("a",), ()), 0, True, 5),
    ],
)
def test_exit_codes(use: ReplayUse, program: int, strict: bool, code: int) -> None:
    assert use.exit_code(program, strict=strict) == code


def test_what_differs_from_the_recorded_run_is_told() -> None:
    told = list(use_lines(ReplayUse(0, (), (), (), (), "no namespaces"), 1, 0))
    assert told[0] == "the program ended with 1; when recorded: 0"
    assert told[-1] == "connections past the proxy were not shut off: no namespaces"


def test_a_program_that_nobody_understands_is_told_with_its_file(tmp_path: Path) -> None:
    info = CassetteInfo(extra={"program": {"command": []}})
    path = tmp_path / "tape.yaml"
    write_cassette(Cassette("tape.yaml", (recorded(),), info), path)
    with pytest.raises(MockServerError, match=r"tape\.yaml.*program\.exit_code"):
        recorded_program(path)
    with pytest.raises(MockServerError, match="no such cassette"):
        recorded_program(tmp_path / "other.yaml")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["replay"], "there is no cassette.yaml here"),
        (["replay", "--cassette", "tape.yaml"], "tape.yaml tells of no program"),
        (
            ["replay", "--cassette", "tape.yaml", "--match", "colour", "--", "true"],
            "--match colour",
        ),
        (["record", "--variable", "NOT_SET", "--", "true"], "NOT_SET holds no http or https URL"),
        (["record", "--", "no-such-program"], "cannot run no-such-program"),
    ],
)
def test_what_cannot_be_done_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], error: str
) -> None:
    written(tmp_path, [recorded()])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
    done = CliRunner().invoke(app, arguments)
    assert error in str(done.exception)


PROGRAM = """
import os, sys, urllib.request
for path in sys.argv[1:]:
    with urllib.request.urlopen(os.environ["SHOP_URL"] + path) as answer:
        print(answer.status, len(answer.read()), sys.stdin.read())
"""


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    with Canary() as canary:
        yield canary.url


def run(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MOCKSERVER_REDACTION_KEY": KEY, **environ}
    return warm.run("mockserver", *arguments, cwd=folder, env=environment)


@pytest.mark.slow
def test_a_recorded_program_runs_again_without_a_network(tmp_path: Path, api: str) -> None:
    (tmp_path / "agent.py").write_text(PROGRAM, encoding="utf-8")
    agent = ("--", sys.executable, "agent.py", "/v1/user?n=1")
    first = run(tmp_path, "record", "--input", "the task", *agent, SHOP_URL=api)
    assert (first.returncode, first.stdout.split()[0]) == (0, "200"), first.stderr
    assert "1 interaction recorded into cassette.yaml" in first.stderr
    assert SECRETS["email"] not in (tmp_path / "cassette.yaml").read_text("utf-8")
    again = run(tmp_path, "replay")
    assert (again.returncode, again.stdout.endswith(" the task\n")) == (0, True), again.stderr
    assert "1 exact, 0 near, 0 missing; 0 recordings unused" in again.stderr
    other = run(tmp_path, "replay", "--json", *agent[:-1], "/v1/user?n=2")
    told = json.loads(other.stdout)
    assert (other.returncode, told["exit_code"]) == (1, 1)
    assert (len(told["missing"]), len(told["unused"])) == (1, 1)
    quiet = run(tmp_path, "replay", "--strict", "--", "true")
    assert quiet.returncode == 5
    away = "import urllib.request as r\ntry: r.urlopen('https://example.com')\nexcept OSError: pass"
    escaped = run(tmp_path, "replay", "--", sys.executable, "-c", away)
    assert (escaped.returncode, "refused: example.com:443" in escaped.stderr) == (4, True)


NEW_EACH_TIME = """
import os, sys, time, urllib.request
url = os.environ["SHOP_URL"] + f"/v1/user?n=1&trace=t{time.time_ns()}z"
urllib.request.urlopen(url)
seen = os.path.exists("seen")
open("seen", "w").close()
if seen and sys.argv[1:]:
    urllib.request.urlopen(os.environ["SHOP_URL"] + "/v1/user?n=2")
"""


@pytest.mark.slow
def test_two_recordings_tell_what_varies_and_a_replay_heeds_it(tmp_path: Path, api: str) -> None:
    (tmp_path / "agent.py").write_text(NEW_EACH_TIME, encoding="utf-8")
    agent = ("--", sys.executable, "agent.py")
    first = run(tmp_path, "record", "--twice", "--json", *agent, SHOP_URL=api)
    told = json.loads(first.stdout)["twice"]
    assert told == {"varies": ["/query/trace"], "unlearned": [], "otherwise": ""}, first.stderr
    again = run(tmp_path, "replay", *agent)
    assert "0 exact, 1 near, 0 missing" in again.stderr
    assert "another value at /query/trace" in again.stderr
    assert run(tmp_path, "replay", "--exact", *agent).returncode == 1
    (tmp_path / "seen").unlink()
    other = run(tmp_path, "record", "--twice", *agent, "more", SHOP_URL=api)
    assert other.returncode == 1
    assert "it made 1 requests the first time and 2 the second" in other.stderr
    assert "varies" not in (tmp_path / "cassette.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("variation", "lines"),
    [
        (None, []),
        (Variation(("/body/a",), ("it",)),
         ["varies between two runs: /body/a", "not learned, so a replay may miss it: it"]),
        (Variation(), ["varies between two runs: nothing that a replay would not find by itself"]),
        (Variation(otherwise="more"),
         ["the program did something else the second time: more",
          "the cassette is that of the first time; nothing was learned of what varies"]),
    ],
)  # fmt: skip
def test_what_two_recordings_tell_is_said(variation: Variation | None, lines: list[str]) -> None:
    assert [*variation_lines(variation)] == lines


@pytest.mark.slow
def test_a_program_keeps_its_exit_code_and_nothing_recorded_writes_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, "record", "--json", "--out", "kept", "--", sys.executable, "-c", "exit(9)")
    told = json.loads(done.stdout)
    assert (done.returncode, told["exit_code"], told["cassette"]) == (9, 9, None)
    assert not (tmp_path / "kept" / "cassette.yaml").exists()
