import json
import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from harness.agents.sandbox import entry
from tests.patience import PATIENCE_S


@pytest.fixture
def harness(tmp_path: Path) -> socket.socket:
    """The harness's side of the gate, at `gate`."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "gate"))
    listening.listen(1)
    return listening


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.usefixtures("unix_sockets")
@pytest.mark.parametrize(("works", "code"), [(True, 0), (False, 127)])
def test_sockets_are_handed_over_and_the_agent_takes_the_place(
    harness: socket.socket,
    free_port: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    works: bool,
    code: int,
) -> None:
    started: list[tuple[str, list[str], dict[str, str]]] = []

    def become(program: str, argv: list[str], env: dict[str, str]) -> None:
        started.append((program, argv, env))
        if not works:
            raise FileNotFoundError(2, "No such file or directory")
        raise SystemExit(0)

    monkeypatch.setattr(os, "execvpe", become)
    monkeypatch.setattr(signal, "signal", lambda number, action: None)
    seen: list[object] = []

    def outside() -> None:
        inside, _ = harness.accept()
        with inside:
            ports, descriptors, *_ = socket.recv_fds(inside, 1024, 8)
            for port, descriptor in zip(json.loads(ports), descriptors, strict=True):
                with socket.socket(fileno=descriptor) as listener:
                    seen.append((port, listener.getsockname()[1]))
            inside.sendall(b'{"A":')
            inside.sendall(b' "1"}\n')
            if not works:
                seen.append(inside.recv(1024))

    harness.settimeout(PATIENCE_S)
    thread = threading.Thread(target=outside, daemon=True)
    thread.start()
    arguments = [str(tmp_path / "gate"), str(free_port), "agent", "--fast"]
    try:
        got = entry.main(arguments)
    except SystemExit as ended:
        got = int(ended.code or 0)
    thread.join()
    harness.close()
    assert got == code
    ((program, argv, env),) = started
    assert (program, argv, env["A"], env["PATH"]) == (
        "agent",
        ["agent", "--fast"],
        "1",
        os.environ["PATH"],
    )
    assert (free_port, free_port) in seen
    assert (b"No such file or directory" in seen) is not works


def test_a_port_that_is_taken_is_an_error(free_port: int) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port))
        taken.listen(1)
        with pytest.raises(OSError, match="in use"):
            entry.listen([free_port])


def test_a_harness_that_has_gone_ends_it() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    with ours, pytest.raises(EOFError):
        entry.read_environment(ours)
