"""A program with the OpenAI SDK is recorded live and forked: live, scripted, and off its path."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.captures import KEY
from tests.forking import FILES, write_orders
from tests.warm import programs, run

pytestmark = pytest.mark.slow
pytest.importorskip("openai")

AGENT = """
import json, os, sys, urllib.request
import openai

session = os.environ["MOCK_SERVER_URL"] + "/s/" + os.environ["MOCK_SESSION"]
client, orders = openai.OpenAI(), session + "/api.orders.example.com/orders/"
messages = [
    {"role": "system", "content": os.environ.get("AGENT_PROMPT", "You help with orders.")},
    {"role": "user", "content": sys.stdin.read()},
]
while True:
    parts = client.chat.completions.create(model="agent", messages=messages, stream=True)
    text, calls = "", []
    for part in parts:
        delta = part.choices[0].delta if part.choices else None
        text += (delta and delta.content) or ""
        for each in (delta and delta.tool_calls) or ():
            if each.id:
                calls.append({"id": each.id, "type": "function",
                              "function": {"name": each.function.name, "arguments": ""}})
            calls[-1]["function"]["arguments"] += each.function.arguments or ""
    if not calls:
        break
    messages.append({"role": "assistant", "content": text or None, "tool_calls": calls})
    for call in calls:
        is_read = call["function"]["name"] == "get_order"
        request = urllib.request.Request(
            orders + json.loads(call["function"]["arguments"])["id"],
            None if is_read else b'{"status": "cancelled"}',
            {"content-type": "application/json"}, method="GET" if is_read else "PATCH",
        )
        content = urllib.request.urlopen(request).read().decode()
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
print(text)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    return write_orders(tmp_path / "suite", scripted=False)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The variables of a live model."""
    (tmp_path / "live" / "models").mkdir(parents=True)
    (tmp_path / "live" / "models" / "a.yaml").write_text(FILES["models/agent.yaml"], "utf-8")
    options = ("--fixtures", str(tmp_path / "live"), "--port=0", "--no-proxy")
    models = subprocess.Popen(
        [str(programs() / "mockserver"), "serve", *options], stdout=subprocess.PIPE, text=True
    )
    assert models.stdout is not None
    url = models.stdout.readline().partition("ready at ")[2].split()[0]
    yield {
        "OPENAI_BASE_URL": f"{url}/models/openai/v1",
        "OPENAI_API_KEY": "sk-live-5d3f2a1b0c9e8f7a",
    }
    models.terminate()
    models.communicate()


def harness(suite: Path, *options: str, **environ: str) -> tuple[int, str]:
    plain = {name: value for name, value in os.environ.items() if "OPENAI" not in name}
    environment = {**plain, "MOCKSERVER_REDACTION_KEY": KEY, **environ}
    done = run("harness", *options, cwd=suite.parent, env=environment)
    return done.returncode, done.stdout + done.stderr


def test_a_recorded_program_forks_live_and_scripted(suite: Path, live: dict[str, str]) -> None:
    agent = f"command:{sys.executable} {suite.parent / 'agent.py'}"
    code, told = harness(suite, "run", "suite", "--agent", agent, "--record-models", **live)
    assert code == 0, told
    kept = next(suite.parent.glob("runs/*/models/CANCEL/1.yaml"))
    assert live["OPENAI_API_KEY"] not in kept.read_text(encoding="utf-8")
    assert "Ada Lovelace" in kept.read_text(encoding="utf-8")

    script = suite.parent / "careful.yaml"
    script.write_text("replies: [{text: I would rather ask.}]", encoding="utf-8")
    models = ("--model", "openai/a-liar", "--model", f"script:{script}")
    code, told = harness(suite, "fork", "CANCEL", "--from", "2", *models, "--json", **live)
    assert code == 1, told
    (tree,) = orjson.loads(told)["forks"]
    assert [each["fork"]["model"] for each in tree["forks"]] == [
        "openai/a-liar",
        f"script:{script}",
    ]
    texts = {
        path.parts[-4]: orjson.loads(path.read_bytes())["replies"][0]["text"].strip()
        for path in suite.parent.glob("runs/*/trials/CANCEL/1.json")
    }
    liar, careful = (each["run"] for each in tree["forks"])
    assert texts[liar] == "Order A1 is cancelled."
    assert texts[careful] == "I would rather ask."

    code, told = harness(suite, "fork", f"{liar}/CANCEL", "--from", "3", **live)
    assert (code, "has no turn 3 of its model" in told) == (2, True), told

    code, told = harness(suite, "fork", "CANCEL", "--from", "2", "--env", "AGENT_PROMPT=Other.",
                         **live)  # fmt: skip
    assert code == 3, told
    assert "turn 1 of its model is not the recorded one" in " ".join(told.split())

    code, told = harness(suite, "fork", "CANCEL", "--from", "2")
    assert (code, "there is no key for the live model of openai" in told) == (2, True), told
