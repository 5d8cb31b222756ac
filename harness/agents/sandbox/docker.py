"""Sandboxes by `docker`: a container without a network, of an image with what an agent needs."""

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from typing_extensions import override

from harness.agents.processes import Command
from harness.agents.sandbox.gate import Gate
from harness.agents.sandbox.protocol import Enclosed, Job, Sandbox, SandboxOptions
from harness.agents.sandbox.view import Mount, ViewOptions, home_folder, probe, visible
from harness.errors import InfrastructureError

_TEMPORARY = "/tmp"  # noqa: S108  (of the container, which is alone there)
_SPACE = "1g"
_PROCESSES = "1024"
_CONFINED = (
    "--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
    "--pids-limit", _PROCESSES, "--tmpfs", f"{_TEMPORARY}:exec,mode=1777,size={_SPACE}",
    "--hostname", "sandbox",
)  # fmt: skip
_OF_THE_IMAGE = frozenset({"PATH", "HOME", "USER", "TMPDIR", "VIRTUAL_ENV", "SSL_CERT_DIR"})
"""Variables that mean nothing in a container unless its image or session sets them."""


@dataclass(frozen=True)
class Docker(Sandbox):
    """Runs programs by `docker run`, or by what takes its options.

    Attributes:
        options: What is said.
        image: It needs python3, and what the agent needs.
        environ: Where `docker` is looked for, and how it finds its daemon.
    """

    options: SandboxOptions
    image: str
    environ: Mapping[str, str]

    @override
    def check(self) -> None:
        program = self._program()
        if not program:
            raise InfrastructureError(
                "--sandbox docker needs the program 'docker', which is not installed",
                hint="install it, or give --sandbox bubblewrap",
            )
        if why := probe([program, "image", "inspect", "--format", "{{.Id}}", self.image]).failure:
            raise InfrastructureError(
                f"docker does not find the image {self.image!r}: {why}",
                hint=f"start its daemon, or get it: docker pull {self.image}; runs pull nothing",
            )

    @override
    def enclose(self, job: Job, gate: Gate) -> Enclosed:
        inner, workspace = job.command, job.command.folder.absolute()
        view = ViewOptions(
            job.folder,
            workspace,
            gate.folder,
            home_folder(),
            self.options.hidden,
            self.options.read,
        )
        name = f"understudy-{gate.folder.name}"
        argv = [
            self._program(), "run", "--rm", "--interactive", "--init", "--pull", "never",
            "--name", name, *_CONFINED, "--user", f"{os.getuid()}:{os.getgid()}",
            *_volumes(visible(inner.argv, job.block, view)),
            "--workdir", str(workspace), "--entrypoint", "python3",
            self.image, *gate.command, *inner.argv,
        ]  # fmt: skip
        handed = {key: value for key, value in inner.env.items() if key not in _OF_THE_IMAGE}
        handed |= {key: job.block[key] for key in _OF_THE_IMAGE & {*job.block}}
        handed |= {"HOME": _TEMPORARY, "TMPDIR": _TEMPORARY}
        client = {key: value for key, value in self.environ.items() if _is_of_client(key)}
        return Enclosed(
            Command(argv, inner.stdin, client, inner.folder),
            handed,
            stop=(self._program(), "rm", "--force", name),
        )

    def _program(self) -> str:
        return shutil.which("docker", path=self.environ.get("PATH")) or ""


def _is_of_client(variable: str) -> bool:
    return variable in {"PATH", "HOME", "XDG_RUNTIME_DIR"} or variable.startswith("DOCKER_")


def _volumes(mounts: Iterable[Mount]) -> list[str]:
    parts: list[str] = []
    for mount in mounts:
        path = str(mount.path)
        match mount.kind:
            case "write":
                parts += ("--mount", f"type=bind,source={path},target={path}")
            case "hide" if mount.path.is_dir():
                parts += ("--mount", f"type=tmpfs,target={path},tmpfs-mode=0555")
            case _:
                source = "/dev/null" if mount.kind == "hide" else path
                parts += ("--mount", f"type=bind,source={source},target={path},readonly")
    return parts
