"""A Redis and its replica for servers that are struck, which either of two wires leads to."""

import os
import subprocess
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from redis import Redis

from tests.chaos.wire import Wire
from tests.patience import wait_until
from tests.redis_servers import RedisServer

_LOOK_S = 0.05
_TORN_BYTES = 7
_DISK = ("-t", "tmpfs", "-o", "size=48m", "understudy-chaos")
_DURABLE = (
    *("--appendfsync", "always", "--repl-diskless-sync-delay", "0"),
    *("--auto-aof-rewrite-min-size", "8mb"),
)
"""Redis writes each command to the disk before it answers, and a replica follows at once."""

LOSES_S = 1.0
"""How long `appendfsync everysec` keeps writes from the disk: what is lost with a machine."""


class Redises:
    """A primary and a replica.

    Attributes:
        primary: Where servers write.
        wires: What leads to it: of one server and of the other.
        has_own_disks: Whether the files of each are on a small disk of their own, which root has.

    Args:
        program: `redis-server`.
        folders: One for each.
    """

    def __init__(self, program: str, *folders: Path) -> None:
        self.primary, self._replica = (
            RedisServer(program, folder, *_DURABLE) for folder in folders
        )
        self._folders = folders
        self.wires = Wire(self.primary.port), Wire(self.primary.port)
        self.has_own_disks = False
        self._sizes: deque[tuple[float, Path, int]] = deque(maxlen=round(3 * LOSES_S / _LOOK_S))
        self._ends = threading.Event()

    def start(self) -> None:
        """Start both, and lead both wires to the primary."""
        self.has_own_disks = all(_call("mount", *_DISK, str(each)) for each in self._folders)
        for each in (self.primary, self._replica):
            each.start()
        self._follow()
        for wire in self.wires:
            wire.start()
        threading.Thread(target=self._watch, daemon=True).start()

    def stop(self) -> None:
        """End both."""
        self._ends.set()
        for wire in self.wires:
            wire.stop()
        for each in (self.primary, self._replica):
            each.stop()
        for folder in self._folders if self.has_own_disks else ():
            _call("umount", "-l", str(folder))

    def restart(self) -> None:
        """Start the primary again, if it has ended."""
        if not self.primary.runs():
            self.primary.start()

    def settle(self) -> None:
        """Wait until the replica has what the primary has."""
        info = self.ask(self._replica, "INFO", "replication")
        if info.get("master_link_status") != "up":  # it asks again once a second
            self._follow()

    def lose_tail(self) -> None:
        """End the primary, and take the last second from its file, in the middle of a command."""
        now = monotonic()
        self.primary.stop()
        file = self._file()
        sizes = (size for at, name, size in self._sizes if at > now - LOSES_S and name == file)
        whole = file.stat().st_size
        os.truncate(file, min(next(sizes, whole) + _TORN_BYTES, whole))

    def fail_over(self) -> None:
        """End the primary for good, and let the replica take its place, empty the other one's."""
        self.primary.stop()
        self.ask(self._replica, "REPLICAOF", "NO", "ONE")
        self.primary, self._replica = self._replica, self.primary
        self._sizes.clear()
        for wire in self.wires:
            wire.lead_to(self.primary.port)

    def revive(self) -> None:
        """Start the one that was ended, as a replica."""
        self._replica.start()
        self._follow()

    def write_anew(self) -> None:
        """Have the primary write its file anew, as the guide says of a disk that was full.

        A Redis 7.0 that was a replica takes a write that was cut short back by a wrong place, which
        puts zeros into its file.
        """

        def rests() -> bool:
            info = self.ask(self.primary, "INFO", "persistence")
            return not info["aof_rewrite_in_progress"] and not info["aof_rewrite_scheduled"]

        wait_until(rests, "a file that is not written anew")  # one may have begun on the full disk
        self.ask(self.primary, "BGREWRITEAOF")
        wait_until(rests, "a file that was written anew")

    def configure(self, name: str, value: str) -> None:
        """Set an option of the primary while it runs."""
        self.ask(self.primary, "CONFIG", "SET", name, value)

    def ask(self, server: RedisServer, *command: str) -> dict[str, object]:
        """Send a command; `INFO` is answered with its fields."""
        with Redis(port=server.port, socket_timeout=10) as client:
            found = client.execute_command(*command)
        return found if isinstance(found, dict) else {}

    def _follow(self) -> None:
        self.ask(self._replica, "REPLICAOF", "127.0.0.1", str(self.primary.port))

        def follows() -> bool:
            return self.ask(self._replica, "INFO", "replication")["master_link_status"] == "up"

        wait_until(follows, "a replica that follows")

    def _file(self) -> Path:
        return max((self.primary.folder / "appendonlydir").glob("*.incr.aof"), key=os.path.getmtime)

    def _watch(self) -> None:
        """Note how large the file is, so that what came later can be taken away."""
        while not self._ends.is_set():
            with suppress(OSError, ValueError):
                file = self._file()
                self._sizes.append((monotonic(), file, file.stat().st_size))
            sleep(_LOOK_S)


def _call(*command: str) -> bool:
    """Whether a command does what it is to do."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
