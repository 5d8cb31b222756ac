"""`understudy drift --live`: compared with what a server of ours answers."""

import asyncio
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mockserver.client import MockServer
from mockserver.model import SessionSpec
from tests import warm

pytestmark = pytest.mark.slow

SUITE = Path(__file__).parents[3] / "fixtures" / "chrome-enterprise"
PLAN = """
version: 1
name: small
about: The groups of a customer.
limits: {qps: 50}
calls:
  - id: groups
    method: directory.groups.list
    params: {customer: my_customer}
  - id: nobody
    method: directory.users.get
    params: {userKey: nobody@example.com}
    optional: true
"""
OLD = {"groups": [{"id": "1", "email": "a@example.com", "name": "A", "colour": "RED"}]}

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """Runs `mockserver` where a server of ours is all that there is of Google."""
    folder = tmp_path_factory.mktemp("shadow")
    (folder / "plan.yaml").write_text(PLAN, encoding="utf-8")
    (folder / "old.json").write_text(json.dumps(OLD), encoding="utf-8")
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(SUITE, options=()))
        info = runner.run(server.open(SessionSpec()))
        account = runner.run(server.credentials(info.id, "service_account", endpoint="google"))
        (folder / "account.json").write_text(json.dumps(account), encoding="utf-8")
        environment = {**os.environ, **info.env, "UNDERSTUDY_HOME": str(folder)}

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return warm.run("mockserver", *arguments, cwd=folder, env=environment)

        yield run
        runner.run(server.close())


def test_a_snapshot_is_compared_with_what_the_live_api_answers(command: Command) -> None:
    live = ("--live", "plan.yaml", "--credentials", "account.json")
    found = command("drift", "old.json", *live)
    assert found.returncode == 13, found.stderr
    assert "removed: groups /colour: is gone; was string" in found.stdout
    assert "nobody: failed (optional) 404" in found.stderr
    assert "drift: old.json against live (plan.yaml)" in found.stdout


def test_a_recording_is_compared_with_what_the_live_api_answers(command: Command) -> None:
    asked = ("--plan", "plan.yaml", "--credentials", "account.json", "--cassette", "groups.yaml")
    assert command("capture", "google", *asked).returncode in {0, 1}
    found = command("drift", "groups.yaml", "--live", "plan.yaml", "--credentials", "account.json")
    assert (found.returncode, found.stdout.splitlines()[-1]) == (0, "no change"), found.stderr


def test_the_mock_is_held_against_what_the_live_api_answers(command: Command) -> None:
    asked = ("--plan", "plan.yaml", "--credentials", "account.json", "--fixtures", str(SUITE))
    found = command("verify", *asked)
    assert found.returncode == 0, found.stderr
    assert "directory.groups.list" in found.stdout


def test_a_plan_that_cannot_be_asked_is_an_error(command: Command) -> None:
    found = command("drift", "old.json", "--live", "plan.yaml", "--credentials", "none.json")
    assert found.returncode == 2
    assert "none.json" in found.stderr
    both = command("drift", "old.json", "old.json", "--live", "plan.yaml")
    assert both.returncode == 2
    assert "a second recording, --live" in both.stderr
