"""An agent that tries what a sandbox forbids, and tells what came of each attempt, as JSON.

Its arguments: a port of this machine that is not the mock server's, a folder of the project, the
folder of the suite, and the id of a process outside.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

STATUS = Path("/proc/self/status")


def connect(host: str, port: int, family: int = socket.AF_INET) -> str:
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(3)
        client.connect((host, port))
    return "connected"


def write(path: str | Path) -> str:
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("x")
    return "written"


def open_to_write(path: str) -> str:
    os.close(os.open(path, os.O_WRONLY))
    return "opened"


def writable_kernel_files() -> list[str]:
    return [
        str(path)
        for path in Path("/proc").iterdir()
        # what is covered by the null device takes anything, and keeps nothing
        if not (path.name.isdigit() or path.is_symlink() or path.is_char_device())
        and os.access(path, os.W_OK)
    ]


def attempts(
    port: int, project: Path, suite: Path, process: int
) -> dict[str, Callable[[], object]]:
    """Each attempt by its name."""
    home, api = Path("~").expanduser(), os.environ["GOOGLE_API_BASE_URL"]
    return {
        "internet": lambda: connect("198.51.100.1", 443),
        "name": lambda: socket.gethostbyname("example.com"),
        "other port": lambda: connect("127.0.0.1", port),
        "other port on IPv6": lambda: connect("::1", port, socket.AF_INET6),
        "machine's sockets": lambda: os.listdir("/run"),  # noqa: PTH208
        "home": lambda: sorted(
            path.name for path in home.iterdir() if path.name.startswith(".ssh")
        ),
        "ssh key": lambda: (home / ".ssh/id_ed25519").read_text(encoding="utf-8"),
        "shadow": lambda: Path("/etc/shadow").read_text(encoding="utf-8"),
        "env file": lambda: (project / ".env").read_text(encoding="utf-8"),
        "suite": lambda: sorted(path.name for path in suite.iterdir()),
        "project file": lambda: write(project / "agent.py"),
        "system file": lambda: write("/usr/x"),
        "root": lambda: write("/x"),
        "sysctl": lambda: open_to_write("/proc/sys/kernel/core_pattern"),
        "kernel files": writable_kernel_files,
        "process outside": lambda: os.kill(process, signal.SIGTERM),
        "mount": lambda: subprocess.run(["mount", "-o", "remount,rw", "/usr"], check=True),
        "own namespaces": lambda: subprocess.run(["unshare", "-U", "true"], check=True),
        "secret": lambda: os.environ["SECRET_OF_MINE"],
        "set-user-id": lambda: STATUS.read_text(encoding="utf-8").split("NoNewPrivs:\t")[1][0],
        "capabilities": lambda: STATUS.read_text(encoding="utf-8").split("CapEff:\t")[1][:16],
        "workspace": lambda: write("made.txt"),
        "temporary": lambda: write("/tmp/made.txt"),
        "own home": lambda: write(home / "made.txt"),
        "call": lambda: urllib.request.urlopen(api).read().decode(),
        "call by name": lambda: (
            urllib.request.urlopen(api.replace("127.0.0.1", "localhost")).read().decode()
        ),
    }


def attempt(action: Callable[[], object]) -> object:
    try:
        return action()
    except (OSError, KeyError, subprocess.CalledProcessError, IndexError) as error:
        return f"refused: {type(error).__name__}"


if __name__ == "__main__":
    tried = attempts(int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
    found = {name: attempt(action) for name, action in tried.items()}
    sys.stdout.write(json.dumps(found, default=str))
