"""`mockserver serve --cassette`: options that go together, and the last words of a replay."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mockserver.cli.main import app
from mockserver.cli.serve import ReplayOptions
from mockserver.errors import MockServerError
from tests.patience import PATIENCE_S
from tests.tapes import recorded, written


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["serve", *arguments], catch_exceptions=False)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--repeats", "last"], "about the cassettes of the default session"),
        (["--strict"], "about the cassettes"),
        (["--cassette", "TAPE", "--pace", "0", "--no-default"], "about the cassettes"),
        (["--cassette", "TAPE", "--tunnel", "x.example.com"], "replays go nowhere"),
        (["--cassette", "missing.yaml"], "missing.yaml: no such cassette"),
        (["--cassette", "TAPE", "--cassette", "OTHER"], "have the same name"),
        (["--cassette", "TAPE", "--repeats", "twice"], "--repeats 'twice'"),
    ],
    ids=["repeats", "strict", "no default", "tunnel", "missing", "same name", "unknown repeats"],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused(
    tmp_path: Path, arguments: list[str], says: str
) -> None:
    files = {
        "TAPE": written(tmp_path, [recorded()]),
        "OTHER": written(tmp_path / "b", [recorded()]),
    }
    given = [str(files.get(word, word)) for word in arguments]
    with pytest.raises(MockServerError) as error:
        run("--port", "0", *given)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("cassettes", "fixtures", "synthesis", "sources"),
    [
        (True, None, False, ["cassette"]),
        (True, None, True, ["cassette", "synthesis"]),
        (True, Path("f"), False, None),
        (True, Path("f"), True, ["stub", "cassette", "state", "synthesis"]),
        (False, None, False, None),
        (False, None, True, ["stub", "state", "synthesis"]),
    ],
)
def test_who_answers_beside_cassettes(
    cassettes: bool, fixtures: Path | None, synthesis: bool, sources: list[str] | None
) -> None:
    files = (Path("tape.yaml"),) if cassettes else ()
    replayed = ReplayOptions(files, None, None, None, None, strict=False)
    assert replayed.sources(fixtures=fixtures, synthesis=synthesis) == sources


@pytest.mark.parametrize(
    ("repeats", "match", "strict", "expected"),
    [
        (None, None, False, (None, None, None)),
        (None, "method, path", True, ("once", "strict", ["method", "path"])),
        ("last", None, True, ("last", "strict", None)),
    ],
)
def test_a_strict_replay_repeats_nothing_unless_told(
    repeats: str | None, match: str | None, strict: bool, expected: tuple[object, ...]
) -> None:
    played = ReplayOptions(
        (Path("a.yaml"),), repeats, None, None, match, strict=strict
    ).session_options()
    assert (played["repeats"], played["barriers"], played["match"]) == expected


@pytest.mark.parametrize("asked", [("/v1/units",), ("/v1/units", "/v1/units")])
def test_a_strict_replay_tells_what_is_left_and_what_was_missing(
    tmp_path: Path, asked: tuple[str, ...]
) -> None:
    file = written(tmp_path, [recorded(), *(recorded(path=f"/v1/{n}") for n in range(21))])
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--no-proxy"]
    command += ["--cassette", str(file), "--strict"]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[3]
        for path in asked:
            with suppress(urllib.error.HTTPError):
                urllib.request.urlopen(url + path, timeout=PATIENCE_S)
        os.kill(server.pid, signal.SIGTERM)
        _, said = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 1
    assert "unused GET https://api.example.com/v1/0 (#2 of tape.yaml)" in said
    assert "and 1 more" in said
    assert f"{len(asked) - 1} without a recording, 21 unused" in said
    assert ("no recording of GET api.example.com/v1/units" in said) is (len(asked) > 1)
