import io
import json
from typing import Any

import pytest

from harness.demo.google import Access
from harness.demo.sre.command import main


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shop: Access) -> Any:
    monkeypatch.setenv("GOOGLE_API_BASE_URL", shop.endpoint)
    monkeypatch.setenv("GOOGLE_OAUTH_ACCESS_TOKEN", shop.token)

    def asked(text: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        code = main(list(arguments))
        output = capsys.readouterr()
        return code, output.out, output.err

    return asked


@pytest.mark.parametrize(
    "text",
    [
        "Which projects are there?",
        json.dumps({"messages": [{"role": "user", "content": "Which projects are there?"}]}),
    ],
)
def test_a_question_is_answered(ask: Any, text: str) -> None:
    code, out, _ = ask(text)
    reply = json.loads(out)
    assert (code, reply["toolCalls"][0]["name"]) == (0, "list_projects")
    assert "4 projects" in reply["text"]


def test_a_flaw_is_taken(ask: Any) -> None:
    assert (
        "some projects"
        in json.loads(ask("Which projects are there?", "--flawed", "no-numbers")[1])["text"]
    )


@pytest.mark.parametrize("text", ["", "{}", '{"messages": []}'])
def test_without_a_question_there_is_no_answer(ask: Any, text: str) -> None:
    code, out, err = ask(text)
    assert (code, out) == (2, "")
    assert err


def test_google_itself_is_asked_when_told_so(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Access] = []

    def noted(_question: str, access: Access, _flaws: object) -> Any:
        seen.append(access)
        raise SystemExit

    monkeypatch.setattr("harness.demo.sre.command.answer", noted)
    with pytest.raises(SystemExit):
        ask("Hello", "--google-hosts")
    assert seen[0].endpoint == ""


def test_with_a_port_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[int] = []
    monkeypatch.setattr("uvicorn.run", lambda _app, **options: served.append(options["port"]))
    assert main(["--port", "9999"]) == 0
    assert served == [9999]
