from pathlib import Path

import pytest

from mockserver.capture.recordings import RecordMode
from mockserver.capture.setup import (
    capture_proxy,
    forward_listener,
    open_recorder,
    record_mode,
    reverse_listener,
    upstream_options,
)
from mockserver.errors import MockServerError
from mockserver.model import CassetteInfo


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key for tests")


def test_a_record_mode_has_a_name() -> None:
    assert record_mode("new_episodes") is RecordMode.NEW_EPISODES
    with pytest.raises(MockServerError, match="refresh"):
        record_mode("refersh")


@pytest.mark.parametrize("name", ["a.txt", "none/a.yaml"])
def test_a_cassette_is_a_file_of_its_kind_in_a_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(MockServerError):
        open_recorder(tmp_path / name, "once", None)


def test_a_capture_says_what_it_stood_before(tmp_path: Path) -> None:
    info = CassetteInfo(upstream="https://api.example.com")
    recorder = open_recorder(tmp_path / "a.yaml", "once", None, info=info)
    assert b"upstream: https://api.example.com" in recorder.recording.read_bytes()
    recorder.abandon()


def test_lines_for_the_user_are_redacted(tmp_path: Path) -> None:
    recorder = open_recorder(tmp_path / "a.yaml", "once", None)
    lines: list[str] = []
    proxying = capture_proxy(recorder, lines.append, upstream_options(1.0, None))
    proxying.queue.tell("asked for ann@quillbrook.io")
    proxying.queue.close()
    recorder.abandon()
    assert "quillbrook" not in lines[0]


async def test_a_reverse_proxy_announces_where_it_is() -> None:
    said: list[str] = []
    way, entrance = reverse_listener("127.0.0.1", 0, "https://a.example.com", announce=said.append)
    entrance._ready()
    assert said == [way.own]
    [listener] = entrance.sockets()
    listener.close()


async def test_a_forward_proxy_follows_no_request_to_itself(tmp_path: Path) -> None:
    recorder = open_recorder(tmp_path / "a.yaml", "once", None)
    proxying = capture_proxy(recorder, lambda _: None, upstream_options(1.0, None))
    way, entrance, block = forward_listener("127.0.0.1", 0, proxying, announce=lambda _: None)
    assert block["HTTPS_PROXY"].rpartition("@")[2] in way.own
    assert entrance.sockets() == []
    entrance._listener.close()
    proxying.queue.close()
    recorder.abandon()
