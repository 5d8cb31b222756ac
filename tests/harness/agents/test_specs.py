from pathlib import Path
from typing import Any

import pytest

from harness.agents import (
    DRIVERS,
    DriverOptions,
    Transcript,
    build_driver,
    takes_fixtures,
    visible_environment,
    without_secrets,
)
from harness.errors import HarnessError
from harness.model import Reply


@pytest.mark.parametrize(
    ("spec", "driver"),
    [
        ("http:http://localhost:3100/api/chat", "HttpAgent"),
        ("http://localhost:3100/api/chat", "HttpAgent"),
        ("https://agent.example.com/chat", "HttpAgent"),
        ("http:https://agent.example.com/chat", "HttpAgent"),
        ("command:./agent.sh --fast", "CommandAgent"),
        ("python:json:dumps", "IsolatedAgent"),
        ("scripted:script.yaml", "Scripted"),
        ("oracle", "Oracle"),
        ("null", "Null"),
        ("echo", "Echo"),
    ],
)
async def test_a_spec_names_a_driver(spec: str, driver: str, tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text("{}", encoding="utf-8")
    built = build_driver(spec, DriverOptions(folder=tmp_path))
    assert type(built).__name__ == driver
    await built.close()


@pytest.mark.parametrize(
    ("spec", "options", "said"),
    [
        pytest.param("htpp:x", {}, "did you mean 'http'", id="typo"),
        pytest.param("xyz", {}, "one of http", id="unknown"),
        pytest.param("echo:loud", {}, "write echo", id="too much"),
        pytest.param("command", {}, "write command:...", id="too little"),
        pytest.param("http:localhost", {}, "no URL", id="no URL"),
        pytest.param("http://h:99999/", {}, "no URL", id="no such port"),
        pytest.param("http://xn--\u00fc/", {}, "no URL", id="no such host"),
        pytest.param("openai:nope", {}, r"'nope' is no URL \(openai:http:", id="no server"),
        pytest.param("command:nosuchprogram", {}, "no program 'nosuchprogram'", id="no program"),
        pytest.param("http:http://h", {"profile": "x"}, "profile 'x'", id="profile"),
        pytest.param("command:ls", {"input": "x"}, "input 'x'", id="input"),
        pytest.param("echo", {"agent_cwd": "x"}, "unknown --agent-cwd 'x'", id="folder"),
        pytest.param(
            "echo",
            {"agent_cwd": "here", "sandbox": "bubblewrap"},
            "does not go with --sandbox",
            id="sandbox",
        ),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(spec: str, options: Any, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        build_driver(spec, DriverOptions(**options))


def test_an_agent_may_work_here_or_in_a_sandbox() -> None:
    for options in (DriverOptions(agent_cwd="here"), DriverOptions(sandbox="bubblewrap")):
        build_driver("echo", options)


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("http://u:p@host/c?token=abc&x=1", "http://host/c?token=[redacted]&x=1"),
        (
            "command:run --api-key=abc --token abc",
            "command:run --api-key=[redacted] --token [redacted]",
        ),
        ("echo", "echo"),
    ],
)
def test_secrets_of_a_spec_are_not_written_down(spec: str, shown: str) -> None:
    assert without_secrets(spec) == shown


def test_fixtures_are_injected_where_there_is_a_body() -> None:
    text, json = DriverOptions(), DriverOptions(input="json")
    takers = [kind for kind in DRIVERS if takes_fixtures(f"{kind}:x", text)]
    assert takers == ["http", "https", "openai"]
    assert takes_fixtures("command:x", json)


def test_what_an_agent_sees_depends_on_how_it_is_reached() -> None:
    """Pitfall 23: what would lead to live hosts is looked at before anything runs."""
    ours = {"PATH": "/bin", "GOOGLE_URL": "https://admin.googleapis.com"}
    options = DriverOptions(env={"A": "1"})
    assert visible_environment("python:a:b", options, ours) == ours
    assert visible_environment("command:x", options, ours) == {"PATH": "/bin", "A": "1"}
    assert visible_environment("http:http://h/c", options, ours) == {"--agent": "http://h/c"}
    assert visible_environment("https://h/c", options, ours) == {"--agent": "https://h/c"}


def test_messages_hold_what_was_really_said_so_far() -> None:
    """CEPR-03: the history of a conversation holds the agent's own replies."""
    transcript = Transcript()
    transcript.note_reply(Reply(turn=1, prompt="First", text="One"))
    assert transcript.messages("Second") == [
        {"role": "user", "content": "First"},
        {"role": "assistant", "content": "One"},
        {"role": "user", "content": "Second"},
    ]
