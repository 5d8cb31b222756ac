"""A wheel with a check, a driver and an API is built, installed, and used in a run."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from mockserver.cli.starter_files import package_files
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
DRIVER = '''
"""An agent that asks the API of parrots what a bird says: `--agent keeper:jack`."""

import httpx

from harness.agents import ANY_TOOLS, AgentDriver, DriverKind, Task, Transcript
from harness.model import Reply
from mockserver.plugins import Plugin


class Keeper(AgentDriver):
    tools = ANY_TOOLS

    def __init__(self, bird: str) -> None:
        self._bird = bird

    async def converse(self, task: Task, transcript: Transcript) -> None:
        url = f"{task.env['GOOGLE_API_BASE_URL']}/v1/parrots/{self._bird}"
        async with httpx.AsyncClient() as client:
            found = (await client.get(url)).json()
        async for turn, prompt in task.turns(transcript):
            text = f"It says {found['word']}. Thank you."
            transcript.note_reply(Reply(turn=turn, prompt=prompt, text=text))

    async def close(self) -> None:
        pass


PLUGIN = Plugin(contract=1, provides=DriverKind(lambda rest, _options: Keeper(rest)))
'''
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "aviary"
version = "2.1"

[project.entry-points."understudy.checks"]
courtesy = "understudy_courtesy:PLUGIN"

[project.entry-points."understudy.apis"]
parrots = "understudy_parrots:PLUGIN"

[project.entry-points."understudy.drivers"]
keeper = "understudy_keeper:PLUGIN"

[tool.hatch.build.targets.wheel]
packages = ["understudy_courtesy", "understudy_parrots", "understudy_keeper"]
"""
CASES = """
cases:
  - id: A
    input: What does jack say?
    expect:
      text: {contains: ahoy}
      courtesy: {least: 1}
      server: {requests: [{method: parrots.parrots.get}]}
  - id: B
    input: What does jack say?
    expect: {courtesy: {least: 2}}
"""


def python(program: Path, *arguments: str, cwd: Path, code: int = 0) -> str:
    done = subprocess.run(
        [str(program), *arguments],
        cwd=cwd, capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a virtual environment with the wheel beside this project."""
    folder = tmp_path_factory.mktemp("aviary")
    source = folder / "source"
    for kind in ("check", "api"):
        for path, text in package_files(kind).items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_text(text, encoding="utf-8")
    (source / "understudy_keeper").mkdir()
    (source / "understudy_keeper" / "__init__.py").write_text(DRIVER, encoding="utf-8")
    (source / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    own = Path(sys.executable)
    python(own, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index",
           "-w", str(folder), str(source), cwd=folder)  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    python(own, "-m", "venv", "--without-pip", str(folder / "venv"), cwd=folder)
    program = folder / "venv" / "bin" / "python"
    python(own, "-m", "pip", "--python", str(program), "install", "-q", "--no-deps", "--no-index",
           str(wheel), cwd=folder)  # fmt: skip
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    beside = f"{sysconfig.get_path('purelib')}\n{ROOT}\n"
    (packages / "beside.pth").write_text(beside, encoding="utf-8")
    return program


def understudy(program: Path, folder: Path, *arguments: str, code: int = 0) -> str:
    start = "from harness.cli.understudy import main; main()"
    return python(program, "-P", "-c", start, *arguments, cwd=folder, code=code)


@pytest.mark.slow
def test_a_wheel_with_a_check_a_driver_and_an_api_is_used_in_a_run(
    environment: Path, tmp_path: Path
) -> None:
    listed = json.loads(understudy(environment, tmp_path, "plugins", "--json"))
    assert [(each["group"], each["name"], each["problem"]) for each in listed] == [
        ("understudy.apis", "parrots", ""),
        ("understudy.drivers", "keeper", ""),
        ("understudy.checks", "courtesy", ""),
    ]
    assert {(each["distribution"], each["version"]) for each in listed} == {("aviary", "2.1")}
    (tmp_path / "base").mkdir()
    world = {"parrots": [{"name": "parrots/jack", "word": "ahoy"}]}
    (tmp_path / "base" / "world.json").write_text(json.dumps(world), encoding="utf-8")
    (tmp_path / "cases.yaml").write_text(CASES, encoding="utf-8")
    told = understudy(environment, tmp_path, "run", "cases.yaml", "--agent", "keeper:jack", code=1)
    assert "cases  1/2" in told
    assert "thanks 1 times" in told
    report = understudy(environment, tmp_path, "report", "latest", "-f", "html,csv", "-o", "out/")
    assert "no courtesy" in (tmp_path / "out" / "report.html").read_text("utf-8"), report
    assert ",courtesy," in (tmp_path / "out" / "checks.csv").read_text("utf-8")
    assert "thanks 1 times" in understudy(environment, tmp_path, "explain", "B")
    assert '"courtesy"' in understudy(environment, tmp_path, "schema", "cases")
    assert "parrots.parrots.create" in understudy(environment, tmp_path, "apis", "parrots")
