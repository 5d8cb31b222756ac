"""Names that a case states are said again in a replay, with the redaction key and without."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.captures import KEY
from tests.warm import programs, run

pytestmark = pytest.mark.slow
pytest.importorskip("openai")

ROOT = Path(__file__).parents[3]
TOKEN = "ghp_016C7aZ9xQeRtYuIoPlKjHgFdSaZxCv2BnM4"
AGENT = """
import json, os, sys, urllib.request
import openai

client = openai.OpenAI()
messages = [{"role": "user", "content": sys.stdin.read()}]
tool = {"name": "book_flight", "parameters": {"type": "object", "properties": {}}}
while True:
    found = client.chat.completions.create(
        model="gpt-5-mini", messages=messages, tools=[{"type": "function", "function": tool}]
    ).choices[0].message
    messages.append(found.model_dump(exclude_none=True))
    if not found.tool_calls:
        break
    for call in found.tool_calls:
        given = json.loads(call.function.arguments)
        passenger = {"name": given["name"], "email": given["email"]}
        body = {"flightId": given["flightId"], "seats": given["seats"], "passenger": passenger}
        request = urllib.request.Request(
            "https://api.travel.example.com/v1/bookings", json.dumps(body).encode(),
            {"content-type": "application/json", "x-api-key": os.environ["TRAVEL_API_KEY"]},
        )
        content = urllib.request.urlopen(request).read().decode()
        messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
print(found.content)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """The travel suite, whose passenger has an address of a real domain, and a key in a prompt."""
    folder = tmp_path / "suite"
    shutil.copytree(ROOT / "fixtures" / "travel", folder)
    for path in (folder / "models" / "agent.yaml", folder / "cases" / "bookings.yaml"):
        text = path.read_text(encoding="utf-8").replace("ada@example.com", "ada@lovelace-mail.io")
        text = text.replace("passenger: {email:", "passenger: {name: Ada Lovelace, email:")
        text = text.replace("id of the booking.", f"id of the booking. My key is {TOKEN}.")
        path.write_text(text, encoding="utf-8")
    shutil.move(folder / "models", tmp_path / "live" / "models")
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    return folder


@pytest.fixture
def live(suite: Path) -> Iterator[dict[str, str]]:
    options = ("--fixtures", str(suite.parent / "live"), "--port=0", "--no-proxy")
    models = subprocess.Popen(
        [str(programs() / "mockserver"), "serve", *options], stdout=subprocess.PIPE, text=True
    )
    assert models.stdout is not None
    url = models.stdout.readline().partition("ready at ")[2].split()[0]
    yield {"OPENAI_BASE_URL": f"{url}/models/openai/v1", "OPENAI_API_KEY": "sk-live-5d3f2a1b0c9e"}
    models.terminate()
    models.communicate()


def harness(suite: Path, command: str, *options: str, **environ: str) -> tuple[int, str]:
    agent = f"command:{sys.executable} {suite.parent / 'agent.py'}"
    plain = {name: value for name, value in os.environ.items() if "OPENAI" not in name}
    environment = {**plain, "HOME": str(suite.parent), **environ}
    arguments = (command, str(suite), "--agent", agent, "--ids", "TR-002", *options)
    done = run("harness", *arguments, cwd=suite.parent, env=environment)
    return done.returncode, done.stdout + done.stderr


def test_a_booking_for_a_person_replays_with_the_key_and_without(
    suite: Path, live: dict[str, str]
) -> None:
    code, told = harness(suite, "run", "--record-models", MOCKSERVER_REDACTION_KEY=KEY, **live)
    assert code == 0, told
    kept = (suite / "cassettes" / "TR-002.models.yaml").read_text(encoding="utf-8")
    assert "Ada Lovelace, ada@lovelace-mail.io" in kept
    assert TOKEN not in kept
    assert live["OPENAI_API_KEY"] not in kept
    for environ in (
        {"MOCKSERVER_REDACTION_KEY": KEY},
        {},
        {"MOCKSERVER_REDACTION_KEY": f"another {KEY}"},
    ):
        code, told = harness(suite, "replay", "--strict", "--json", **environ)
        assert code == 0, told
