"""A program of the OpenAI SDK says a name that only its tool tells of as one, and is replayed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.captures import KEY
from tests.mockserver.models.suites import write_script
from tests.warm import programs

pytestmark = pytest.mark.slow
pytest.importorskip("openai")

SCRIPT = """
replies:
  - {user: Book, calls: {book: {name: Ada Lovelace, email: ada@lovelace-mail.io}}}
  - {result: book, text: "Booked for {{ result.passenger.full_name }}."}
"""
PROGRAM = """
import json, openai

client = openai.OpenAI()
messages = [{"role": "user", "content": "Book for Ada Lovelace, ada@lovelace-mail.io."}]
tool = {"name": "book", "parameters": {"type": "object", "properties": {}}}
while True:
    found = client.chat.completions.create(
        model="m", messages=messages, tools=[{"type": "function", "function": tool}]
    ).choices[0].message
    messages.append(found.model_dump(exclude_none=True))
    if not found.tool_calls:
        break
    for call in found.tool_calls:
        given = json.loads(call.function.arguments)
        passenger = {"full_name": given["name"], "email": given["email"]}
        content = json.dumps({"passenger": passenger})
        messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
print(found.content)
"""


def mockserver(folder: Path, *arguments: str, **environ: str) -> tuple[int, str]:
    plain = {name: value for name, value in os.environ.items() if "OPENAI" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "mockserver", *arguments, "--cassette" if "replay" in arguments
         else "--out", "a.yaml", "--", sys.executable, "-c", PROGRAM],
        cwd=folder, env={**plain, "HOME": str(folder), **environ}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_a_program_that_says_a_name_replays_with_the_key_and_without(tmp_path: Path) -> None:
    write_script(tmp_path / "live", SCRIPT)
    options = ("--fixtures", str(tmp_path / "live"), "--port=0", "--no-proxy")
    models = subprocess.Popen(
        [str(programs() / "mockserver"), "serve", *options], stdout=subprocess.PIPE, text=True
    )
    assert models.stdout is not None
    url = models.stdout.readline().partition("ready at ")[2].split()[0]
    live = {"OPENAI_BASE_URL": f"{url}/models/openai/v1", "OPENAI_API_KEY": "sk-live-5d3f2a1b0c9e"}
    code, told = mockserver(tmp_path, "record", MOCKSERVER_REDACTION_KEY=KEY, **live)
    models.terminate()
    models.communicate()
    assert code == 0, told
    assert "Lovelace" not in (tmp_path / "a.yaml").read_text(encoding="utf-8")
    for keys, use in (({"MOCKSERVER_REDACTION_KEY": KEY}, "2 exact, 0 near, 0 missing"),
                      ({}, "0 exact, 2 near, 0 missing")):  # fmt: skip
        code, told = mockserver(tmp_path, "replay", **keys)
        assert code == 0, told
        assert use in told
