"""Docker's command line, played by a script: it takes what `docker run` is given, and runs it."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.agents import AgentFailedError, AgentUnreachableError
from harness.agents.sandbox import SandboxOptions, read_sandbox
from harness.errors import InfrastructureError
from tests.harness.agents.sandbox.test_bubblewrap import needs_bubblewrap

Run = Callable[..., Any]

STAND_IN = r"""#!{python} -I
import os, sys
asked = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write("\0".join(asked) + "\n")
if asked[0] == "image":
    sys.exit("Error: No such image: none" if asked[-1] == "none" else 0)
if asked[0] == "run":
    if "broken" in asked:
        sys.exit("docker: Error response from daemon: no")
    at = asked.index("img")
    network = ["--unshare-net"] if asked[asked.index("--network") + 1] == "none" else []
    folder = asked[asked.index("--workdir") + 1]
    inside = ["--setenv", "OF_THE_IMAGE", "yes", "--chdir", folder, "--", sys.executable]
    bind = ["bwrap", "--bind", "/", "/", "--dev", "/dev"]
    os.execvp("bwrap", [*bind, *network, *inside, *asked[at + 1:]])
"""


@pytest.fixture
def asked(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], list[list[str]]]:
    """What docker has been asked for, each command in its parts."""
    folder = tmp_path_factory.mktemp("docker")
    log, docker = folder / "log", folder / "docker"
    docker.write_text(STAND_IN.format(python=sys.executable, log=str(log)), encoding="utf-8")
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return lambda: [line.split("\0") for line in log.read_text(encoding="utf-8").splitlines()]


def write_agent(project: Path, text: str) -> str:
    (project / "agent.py").write_text(text, encoding="utf-8")
    return f"{sys.executable} agent.py"


@needs_bubblewrap
async def test_an_agent_in_a_container_calls_the_mock_and_gets_its_environment(
    run_agent: Run, project: Path, asked: Callable[[], list[list[str]]], tmp_path: Path
) -> None:
    program = (
        "import os, urllib.request\n"
        "print(urllib.request.urlopen(os.environ['GOOGLE_API_BASE_URL']).read().decode(),"
        " os.environ['OF_THE_IMAGE'], os.environ['MINE'], os.environ['HOME'])"
    )
    command = write_agent(project, program)
    done = await run_agent(command, "docker:img", env={"MINE": "a secret"})
    assert done.replies[0].text == "ok yes a secret /tmp"
    _, ran, removed = asked()
    name = ran[ran.index("--name") + 1]
    assert removed == ["rm", "--force", name]
    assert {"--read-only", "--rm", "--init"} <= {*ran}
    for option, value in (
        ("--network", "none"),
        ("--cap-drop", "ALL"),
        ("--security-opt", "no-new-privileges"),
        ("--pull", "never"),
        ("--workdir", str(tmp_path)),
        ("--user", f"{os.getuid()}:{os.getgid()}"),
    ):
        assert ran[ran.index(option) + 1] == value
    mounts = {ran[at + 1] for at, part in enumerate(ran) if part == "--mount"}
    assert f"type=bind,source={tmp_path},target={tmp_path}" in mounts
    assert f"type=bind,source={project},target={project},readonly" in mounts
    assert not any("a secret" in part for part in ran)


@needs_bubblewrap
async def test_failures_of_the_agent_and_of_docker_are_told_apart(
    run_agent: Run, project: Path, asked: Callable[[], list[list[str]]]
) -> None:
    command = write_agent(project, "raise SystemExit(4)")
    with pytest.raises(AgentFailedError, match="exited with 4"):
        await run_agent(command, "docker:img")
    with pytest.raises(AgentUnreachableError, match=r"did not start.*Error response from daemon"):
        await run_agent(command, "docker:broken")
    assert asked()[-1][:2] == ["rm", "--force"]


def test_what_stands_in_the_way_is_told(asked: Callable[[], list[list[str]]]) -> None:
    with pytest.raises(
        InfrastructureError, match=r"docker does not find the image 'none'.*No such image"
    ):
        read_sandbox(SandboxOptions("docker:none"), os.environ).check()
    with pytest.raises(InfrastructureError, match="needs the program 'docker'"):
        read_sandbox(SandboxOptions("docker:img"), {"PATH": "/nowhere"}).check()


def test_credentials_of_the_project_and_the_suite_are_covered(
    project: Path, tmp_path: Path, asked: Callable[[], list[list[str]]]
) -> None:
    from harness.agents.processes import Command
    from harness.agents.sandbox import Job
    from harness.agents.sandbox.gate import Gate

    (project / "suite").mkdir()
    for name in (".env", "agent.py"):
        (project / name).write_text("x", encoding="utf-8")
    sandbox = read_sandbox(SandboxOptions("docker:img", hidden=(project / "suite",)), os.environ)
    command = Command([str(project / "agent.py")], b"", {"PATH": "/bin"}, tmp_path)
    parts = sandbox.enclose(Job(command, {}, project), Gate(tmp_path / "gate", ())).command.argv
    assert f"type=tmpfs,target={project / 'suite'},tmpfs-mode=0555" in parts
    assert f"type=bind,source=/dev/null,target={project / '.env'},readonly" in parts
