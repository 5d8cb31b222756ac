import json
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from mockserver.cassettes.files import read_cassette
from mockserver.cli.main import app, main
from tests.acceptance.canary import RECEIPT, SECRETS, Canary
from tests.captures import KEY, CaptureProcess

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    with Canary() as canary:
        yield canary.url


def ask(url: str, count: int = 1) -> None:
    with httpx.Client(base_url=url, trust_env=False) as client:
        for number in range(count):
            assert client.get(f"/v1/user?n={number}").status_code == 200


def test_a_capture_that_is_interrupted_says_what_it_recorded(tmp_path: Path, api: str) -> None:
    with CaptureProcess(tmp_path, "--upstream", api, "--cassette=orgs.yaml") as capture:
        ask(capture.url, 2)
        assert capture.end() == 0
    assert "2 interactions recorded into orgs.yaml" in capture.messages
    assert "email" in capture.messages
    assert len(read_cassette(tmp_path / "orgs.yaml").interactions) == 2


def test_a_capture_that_is_killed_loses_nothing_that_a_client_has_seen(
    tmp_path: Path, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with CaptureProcess(tmp_path, "--upstream", api, "--cassette=orgs.yaml", own=True) as capture:
        ask(capture.url, 5)
        capture.end(signal.SIGKILL)
    left = tmp_path / "orgs.recording.yaml"
    assert SECRETS["email"].encode() not in left.read_bytes()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
    done = CliRunner().invoke(app, ["capture", "finish", "orgs.recording.yaml"])
    assert done.output == "orgs.yaml: 5 interactions\n"
    assert len(read_cassette(tmp_path / "orgs.yaml").interactions) == 5
    assert not left.exists()


def test_what_is_in_question_is_kept_aside_and_accepted_by_the_command_that_is_told(
    tmp_path: Path, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with CaptureProcess(tmp_path, "--upstream", api, "--cassette=orgs.yaml") as capture:
        ask(capture.url, 2)
        httpx.get(f"{capture.url}/v1/receipt", trust_env=False)
        assert capture.end() == 1
    assert "2 interactions recorded into orgs.yaml" in capture.messages
    assert "1 interaction in question, kept redacted in orgs.review.yaml" in capture.messages
    assert f"GET {api}/v1/receipt" in capture.messages
    command = "understudy capture review orgs.yaml --accept 1"
    assert command in capture.messages
    assert all(RECEIPT.encode() not in path.read_bytes() for path in tmp_path.glob("*.yaml"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
    listed = CliRunner().invoke(app, ["capture", "review", "orgs.yaml"])
    assert command in listed.output
    done = CliRunner().invoke(app, command.split()[1:])
    assert "1 interactions added, 0 still in question" in done.output
    held = read_cassette(tmp_path / "orgs.yaml").interactions
    assert RECEIPT.encode() in held[2].response.body
    assert RECEIPT not in (tmp_path / "redaction.yaml").read_text("utf-8")
    nothing = CliRunner().invoke(app, ["capture", "review", "orgs.yaml"])
    assert nothing.output == "nothing is in question about orgs.yaml\n"
    with CaptureProcess(tmp_path, "--upstream", api, "--cassette=b.yaml") as capture:
        httpx.get(f"{capture.url}/v1/receipt", trust_env=False)
        assert capture.end() == 0


def test_a_full_disk_ends_the_capture_and_keeps_what_was_recorded(tmp_path: Path, api: str) -> None:
    options = ("--upstream", api, "--cassette=orgs.yaml")
    with CaptureProcess(tmp_path, *options, limit="ulimit -f 8") as capture:
        with httpx.Client(base_url=capture.url, trust_env=False) as client:
            for number in range(40):
                try:
                    client.get(f"/v1/user?n={number}")
                except httpx.HTTPError:
                    break
        assert capture.wait() == 3
    assert "may not grow" in capture.messages
    assert read_cassette(tmp_path / "orgs.recording.yaml").interactions


def test_a_refreshed_cassette_is_told_by_what_changed(tmp_path: Path, api: str) -> None:
    options = ("--upstream", api, "--cassette=orgs.yaml")
    with CaptureProcess(tmp_path, *options) as capture:
        ask(capture.url, 2)
        capture.end()
    with CaptureProcess(tmp_path, *options, "--mode=refresh") as capture:
        ask(capture.url, 1)
        assert capture.end() == 0
    assert len(read_cassette(tmp_path / "orgs.yaml").interactions) == 2
    assert "refreshed: 2 as before, 0 changed, 0 added, 0 gone" in capture.messages


def test_a_forward_proxy_prints_what_clients_need(tmp_path: Path, api: str) -> None:
    with CaptureProcess(tmp_path, "--forward", "--cassette=orgs.yaml", "--verbose") as capture:
        proxy = capture.block["HTTPS_PROXY"]
        with httpx.Client(proxy=proxy, trust_env=False) as client:
            assert client.get(f"{api}/v1/user").status_code == 200
        trusted = Path(capture.block["SSL_CERT_FILE"])
        assert trusted.is_file()
        assert capture.end() == 0
    assert not trusted.exists()
    assert f"GET {api}/v1/user 200" in capture.messages


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "choose one"),
        (["--forward", "--upstream", "https://a.example.com"], "choose one"),
        (["--upstream", "a.example.com"], "no http or https URL"),
        (["--forward", "--mode", "twice"], "no record mode 'twice'"),
        (["--forward", "--mode", "none"], "record it first"),
        (["--forward", "--cassette", "a.txt"], "a .yaml or .json file"),
        (["--forward", "--cassette", "/dev/null/a.yaml"], "the folder /dev/null cannot be made"),
        (["--forward", "--upstream-ca", "none.pem"], "none.pem"),
    ],
    ids=str,
)
def test_what_cannot_be_is_said_in_one_line(
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(["capture", "proxy", "--cassette=a.yaml", "--port=0", *options])
    assert caught.value.code == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_lines_are_objects_for_programs(tmp_path: Path, api: str) -> None:
    options = (f"--upstream={api}", "--cassette=orgs.yaml", "--log-format=json")
    with CaptureProcess(tmp_path, *options) as capture:
        ask(capture.url, 1)
        assert capture.end() == 0
    first = next(line for line in capture.messages.splitlines() if line.startswith("{"))
    found = json.loads(first)
    assert (found["http_method"], found["status"], found["ended"]) == ("GET", 200, "complete")
    assert found["bytes"] > 0
