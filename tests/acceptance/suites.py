"""Suites that projects wrote for the live service, run unchanged here: `make suites`.

The folder has a checkout of each project, and stands outside this repository. A suite gets a
server of its own, and nothing but what `understudy env` prints. It fails when fewer of its tests
pass than its row in `suites.yaml` says; what else fails there has its reason in the row.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import yaml
from pydantic import BaseModel, ConfigDict

from mockserver.client import MockServer
from mockserver.model import JsonObject
from tests.clients.packages import packages_of

TABLE = Path(__file__).with_suffix(".yaml")
_PATIENCE_S = 1800
_KEPT = ("PATH", "LANG", "TMPDIR")


class Suite(BaseModel):
    """A suite of one project, as `suites.yaml` tells it.

    Attributes:
        folder: The project's, in the folder of projects.
        at: The folder in it that the tests are run in.
        tests: What pytest is given: files and options.
        path: Folders of the project that its tests import from.
        env: Further variables; `{key}` is the file of the service account's key, and `{key_text}`
            what it holds.
        key: Where the project looks for the service account's key.
        world: What the tests expect to be there.
        passes: How many tests pass.
        fails: Patterns of `NAME: MESSAGE` of tests that fail, with their reason.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: str
    at: str = "."
    tests: tuple[str, ...]
    path: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    key: str = ""
    world: JsonObject = {}
    passes: int
    fails: Mapping[str, str] = {}


class Outcome(NamedTuple):
    """What became of a suite: tests that passed, those that failed and why, and those skipped."""

    passed: tuple[str, ...]
    failed: Mapping[str, str]
    skipped: int

    def unknown(self, suite: Suite) -> list[str]:
        """Tests that failed for no reason that the suite's row tells."""
        return [
            name
            for name, why in self.failed.items()
            if not any(fnmatchcase(f"{name}: {why}", each) for each in suite.fails)
        ]


def read_table() -> tuple[tuple[str, ...], dict[str, Suite]]:
    """The packages that the suites need, and the suites by their names."""
    held = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    suites = {name: Suite.model_validate(row) for name, row in held["suites"].items()}
    return tuple(held["packages"]), suites


def read_outcome(junit: str) -> Outcome:
    """What pytest says of its tests in JUnit's format; a test that fails twice failed once."""
    passed, failed, skipped = [], {}, 0
    for case in ET.fromstring(junit).iter("testcase"):
        name = f"{case.get('classname', '')}.{case.get('name', '')}".lstrip(".")
        wrong = case.find("failure") if case.find("failure") is not None else case.find("error")
        if wrong is not None:
            failed[name] = (wrong.get("message") or "").strip().partition("\n")[0][:400]
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed.append(name)
    return Outcome(tuple(each for each in passed if each not in failed), failed, skipped)


async def run_suite(suite: Suite, project: Path, packages: Path) -> Outcome:
    """Run a copy of a suite against a server of its own: suites keep tokens beside their tests.

    Raises:
        RuntimeError: pytest did not run; the message holds the end of what it printed.
    """
    with TemporaryDirectory() as made:
        world = Path(made) / "world" / "base" / "all.json"
        world.parent.mkdir(parents=True)
        world.write_text(json.dumps(suite.world), encoding="utf-8")
        copy = Path(made) / "project"
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        server = await MockServer.start(world.parents[1], options=())
        try:
            return await asyncio.to_thread(_run, suite, copy, packages, Path(made), server)
        finally:
            await server.close()


def _run(suite: Suite, project: Path, packages: Path, made: Path, server: MockServer) -> Outcome:
    key, junit = made / "key.json", made / "junit.xml"
    block = _block(server, "--credentials", "service_account", "-o", str(key))
    text = key.read_text(encoding="utf-8")
    if suite.key:
        place = project / suite.key
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    imports = [*(project / each for each in suite.path), packages]
    environment = {
        **{name: os.environ[name] for name in _KEPT if name in os.environ},
        **block,
        **{name: value.format(key=key, key_text=text) for name, value in suite.env.items()},
        "HOME": str(made),
        "PYTHONPATH": os.pathsep.join(map(str, imports)),
    }
    options = (f"--junitxml={junit}", "-q", "-p", "no:cacheprovider", "-W", "ignore")
    done = subprocess.run(  # -S: the suite's packages alone, none of those of this project
        (sys.executable, "-S", "-m", "pytest", *options, *suite.tests),
        cwd=project / suite.at,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    if not junit.is_file():
        raise RuntimeError(f"pytest did not run: {(done.stdout + done.stderr)[-600:]}")
    return read_outcome(junit.read_text(encoding="utf-8"))


def _block(server: MockServer, *options: str) -> dict[str, str]:
    command = ("env", "--url", server.url, "--format", "json", *options)
    told = subprocess.run(
        (sys.executable, "-P", "-m", "mockserver", *command),
        env={**os.environ, "MOCKSERVER_TOKEN": server.token},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    block: dict[str, str] = json.loads(told)
    return block


def lines_of(name: str, suite: Suite, found: Outcome) -> Iterator[str]:
    """The row of a suite, with the tests that failed without a reason.

    Yields:
        Each line.
    """
    unknown = found.unknown(suite)
    word = "fell" if len(found.passed) < suite.passes else "ok"
    numbers = (len(found.passed), suite.passes, len(found.failed), len(unknown), found.skipped)
    yield f"{name:<24}" + "".join(f"{number:>10}" for number in numbers) + f"  {word}"
    for each in unknown:
        yield f"  {each}: {found.failed[each]}"


def main(arguments: list[str] | None = None) -> int:
    """Run the suites whose projects are there; 1 where one passes less than its row says."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.suites")
    parser.add_argument("projects", type=Path, help="the folder of projects")
    parser.add_argument("--only", nargs="+", default=[], help="names of suites")
    asked = parser.parse_args(arguments)
    needed, suites = read_table()
    wanted = {name: each for name, each in suites.items() if name in (asked.only or suites)}
    there = {n: each for n, each in wanted.items() if (asked.projects / each.folder).is_dir()}
    for name in wanted.keys() - there.keys():
        sys.stdout.write(f"{name}: there is no {asked.projects / wanted[name].folder}\n")
    if not there:
        sys.stderr.write("no project of a suite is there\n")
        return 2
    packages = packages_of("suites-1", *needed)
    if isinstance(packages, str):
        sys.stderr.write(f"{packages}\n")
        return 2
    heads: tuple[Any, ...] = ("passed", "expected", "failed", "unknown", "skipped")
    sys.stdout.write(f"{'suite':<24}" + "".join(f"{head:>10}" for head in heads) + "\n")
    fell = []
    for name, suite in there.items():
        found = asyncio.run(run_suite(suite, (asked.projects / suite.folder).resolve(), packages))
        sys.stdout.write("".join(f"{line}\n" for line in lines_of(name, suite, found)))
        sys.stdout.flush()
        fell += [name] if len(found.passed) < suite.passes else []
    return int(bool(fell))


if __name__ == "__main__":
    sys.exit(main())
