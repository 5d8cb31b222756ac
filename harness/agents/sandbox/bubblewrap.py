"""Sandboxes by `bwrap`: namespaces of users, network, processes and files of their own."""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from typing_extensions import override

from harness.agents.processes import Command
from harness.agents.sandbox.gate import Gate
from harness.agents.sandbox.protocol import Enclosed, Job, Sandbox, SandboxOptions
from harness.agents.sandbox.view import (
    Mount,
    ViewOptions,
    home_folder,
    is_below,
    probe,
    program_folders,
    system_folders,
    visible,
)
from harness.errors import InfrastructureError

_TEMPORARY = "/tmp"  # noqa: S108  (of the sandbox, which is alone there)
_SPACE = str(1024**3)
"""Bytes that an agent may leave in each of its temporary folders."""

_NAMESPACES = (
    "--unshare-user", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
    "--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox",
    "--proc", "/proc", "--dev", "/dev",
)  # fmt: skip
_SINCE_0_8 = ("--disable-userns",)
"""No namespaces within the sandbox, from where the kernel has been attacked most."""

_KERNEL_READ_ONLY = ("sys", "bus", "fs", "irq", "mtrr", "sysrq-trigger")
_KERNEL_HIDDEN = (
    "acpi", "asound", "kcore", "keys", "latency_stats", "sched_debug", "scsi", "timer_list",
)  # fmt: skip
"""What of `/proc` belongs to the kernel, which root may write to even without any capability."""

_OUTLIVES_SIGTERM = ("/bin/sh", "-c", 'trap "" TERM; exec "$@"', "sh")
"""The agent gets SIGTERM and some time; bwrap would leave, and take it along, at once."""


@dataclass(frozen=True)
class Bubblewrap(Sandbox):
    """Runs programs by `bwrap`.

    Attributes:
        options: What is said.
        environ: Where `bwrap` is looked for.
    """

    options: SandboxOptions
    environ: Mapping[str, str]

    @override
    def check(self) -> None:
        program = self._program()
        if not program:
            raise InfrastructureError(
                "--sandbox bubblewrap needs the program 'bwrap', which is not installed",
                hint="install bubblewrap (apt, dnf, apk), or give --sandbox docker:IMAGE",
            )
        argv = [program, *self._namespaces(), *_read_only(self._system()), "--", *_PROBE]
        if why := probe(argv).failure:
            raise InfrastructureError(
                f"bubblewrap cannot make a sandbox on this machine: {why}",
                hint="let users make namespaces (sysctl kernel.unprivileged_userns_clone=1, or"
                " kernel.apparmor_restrict_unprivileged_userns=0), in a container --privileged",
            )

    @override
    def enclose(self, job: Job, gate: Gate) -> Enclosed:
        inner, home = job.command, home_folder()
        workspace = inner.folder.absolute()
        view = ViewOptions(
            job.folder, workspace, gate.folder, home, self.options.hidden, self.options.read
        )
        path = inner.env.get("PATH", os.defpath)
        mounts = [
            *(Mount(each, "read") for each in self._system()),
            *(Mount(each, "read") for each in program_folders(inner.argv[0], path, home)),
            *(Mount(each, "temporary") for each in dict.fromkeys((Path(_TEMPORARY), home))),
            *visible(inner.argv, job.block, view),
        ]
        argv = [
            *_OUTLIVES_SIGTERM, self._program(), *self._namespaces(), *self._bind(mounts),
            *_kernel_files(),
            "--remount-ro", "/", "--chdir", str(workspace),
            "--", _interpreter(), *gate.command, *inner.argv,
        ]  # fmt: skip
        env = {**inner.env, "HOME": str(home), "TMPDIR": _TEMPORARY}
        return Enclosed(Command(argv, inner.stdin, env, inner.folder), {})

    def _program(self) -> str:
        return shutil.which("bwrap", path=self.environ.get("PATH")) or ""

    def _namespaces(self) -> tuple[str, ...]:
        return (*_NAMESPACES, *_SINCE_0_8) if self._is_new else _NAMESPACES

    @cached_property
    def _is_new(self) -> bool:
        found = re.search(r"(\d+)\.(\d+)", probe([self._program(), "--version"]).output)
        return found is not None and (int(found[1]), int(found[2])) >= (0, 8)

    def _bind(self, mounts: Iterable[Mount]) -> list[str]:
        """The options that mount these, folders before what is in them."""
        size = ("--size", _SPACE) if self._is_new else ()
        parts: list[str] = []
        covers: list[str] = []  # closed at last: an agent in a hidden folder is mounted in there
        for mount in sorted(mounts, key=lambda each: len(each.path.parts)):
            path = str(mount.path)
            match mount.kind:
                case "read":
                    parts += ("--ro-bind", path, path)
                case "write":
                    parts += ("--bind", path, path)
                case "temporary":
                    parts += (*size, "--tmpfs", path)
                case "hide" if mount.path.is_dir():
                    parts += ("--tmpfs", path)
                    covers += ("--remount-ro", path)
                case "hide":
                    parts += ("--ro-bind", "/dev/null", path)
        return parts + covers

    def _system(self) -> tuple[Path, ...]:
        system = system_folders()
        base = Path(sys.base_prefix)
        return system if is_below(base, system) else (*system, base)


def _kernel_files() -> list[str]:
    """The options that put the kernel's own files out of reach, as containers have them."""
    parts: list[str] = []
    for path in (Path("/proc", name) for name in _KERNEL_READ_ONLY):
        parts += ("--ro-bind-try", str(path), str(path))
    for path in (Path("/proc", name) for name in _KERNEL_HIDDEN):
        if path.is_dir():
            parts += ("--tmpfs", str(path), "--remount-ro", str(path))
        elif path.exists():
            parts += ("--ro-bind", "/dev/null", str(path))
    return parts


def _interpreter() -> str:
    return str(Path(sys.executable).resolve())


_PROBE = (_interpreter(), "-I", "-S", "-c", "")


def _read_only(paths: Iterable[Path]) -> list[str]:
    return [part for path in paths for part in ("--ro-bind", str(path), str(path))]
