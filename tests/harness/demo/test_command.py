import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.demo.command import main
from harness.demo.google import Access

Enter = Callable[..., Access]


def run(text: str, access: Access, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harness.demo.command", *options],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "GOOGLE_API_BASE_URL": access.endpoint,
            "GOOGLE_OAUTH_ACCESS_TOKEN": access.token,
            "PYTHONPATH": str(Path(__file__).parents[3]),
        },
    )


def test_a_prompt_is_answered_with_one_json_object(enter: Enter) -> None:
    done = run("Which Safe Browsing level has SRE?", enter())
    reply = json.loads(done.stdout)
    assert reply["text"].startswith("Diagnosis: Safe Browsing on /Engineering/Platform/SRE")
    assert [*reply["metadata"]] == ["diagnosis", "evidence", "hypotheses", "nextSteps"]
    assert reply["toolCalls"][0] == {
        "name": "listOrgUnits",
        "args": {},
        "status": "ok",
        "step": 0,
    }
    assert reply["rounds"] == 3


def test_a_conversation_is_read_with_its_history(enter: Enter) -> None:
    said = ["Draft turning incognito off for Contractors.", "Apply it."]
    messages = [{"role": "user", "content": text} for text in said]
    done = run(json.dumps({"messages": messages}), enter())
    assert "was changed" in json.loads(done.stdout)["metadata"]["diagnosis"]


def test_it_reads_its_environment(
    enter: Enter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    access = enter()
    monkeypatch.setenv("GOOGLE_API_BASE_URL", access.endpoint)
    monkeypatch.setenv("GOOGLE_OAUTH_ACCESS_TOKEN", access.token)
    for text, code in (('"Which Safe Browsing level has SRE?"', 0), ("", 2)):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        assert main([]) == code
    said = capsys.readouterr()
    assert json.loads(said.out)["rounds"] == 3
    assert said.err == "there is no question in the conversation\n"


def test_a_flaw_is_chosen_by_name(enter: Enter) -> None:
    done = run("Which Safe Browsing level has SRE?", enter(), "--flawed", "invents-id")
    assert "03ph00000000000" in json.loads(done.stdout)["text"]


@pytest.mark.parametrize("text", ["", '{"messages": []}', '{"text": "hi"}'])
def test_without_a_question_it_says_so_and_exits_with_2(text: str) -> None:
    done = run(text, Access())
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert done.stderr


@pytest.mark.parametrize("text", ["42", "true"])
def test_json_that_is_no_conversation_is_a_prompt(enter: Enter, text: str) -> None:
    assert json.loads(run(text, enter()).stdout)["text"].startswith("Diagnosis: The tenant has")
