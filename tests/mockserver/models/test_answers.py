"""What each provider answers, as a whole: what it understood, replies, streams and errors."""

import asyncio
import json
import tempfile
from pathlib import Path

from mockserver.model import ERROR_STATUS
from tests.mockserver.declared.worlds import declared
from tests.mockserver.models.suites import write_script

GOLDEN = Path(__file__).with_name("answers.golden.txt")
"""Calls of one session in order: `> verb path body`, and below what it answers."""

SCRIPT = """
model: [gpt-5, "*"]
stream: {characters: 16}
dimensions: 3
agent: {description: Knows the weather., skills: [{id: look, description: Looks.}]}
replies:
  - {user: echo, text: "{{ [model, system, turn, user, tools, messages, result, results] }}",
     stream: {characters: 1000}}
  - {user: both, text: Let me see., reasoning: Two at once., finish: length,
     calls: [{name: look, arguments: {place: Bern}, id: c7}, {name: go, arguments: 'no JSON'}]}
  - {user: first, calls: {look: {place: Bern}}, calls_first: true, text: After it.}
  - {user: calls, calls: {look: {}}}
  - {user: forbidden, refusal: I may not say that.}
  - {user: filtered, text: Oh., finish: content_filter, usage: {input: 7, output: 9}}
  - {user: empty, text: ""}
  - {user: table, events: [{type: CUSTOM, name: a, value: 1}], text: Seen.}
  - {user: report, text: All is well., task: {state: completed, artifact: report.md}}
  - {user: ask, text: Which day?, task: input_required}
  - {user: limit, error: {kind: rate_limit, retry_after_s: 1.5}}
  - {user: own, error: {kind: my_error, status: 418, message: Tea.}}
"""
KINDS = "".join(f"  - {{user: {kind}, error: {kind}}}\n" for kind in ERROR_STATUS)


def _answers(folder: Path, calls: list[str]) -> str:
    async def ask() -> list[str]:
        found: list[str] = []
        async with declared(write_script(folder, SCRIPT + KINDS), seed=7) as world:
            for call in calls:
                verb, path, *body = call.split(" ", 2)
                answer = await world.ask(verb, path, content="".join(body))
                hidden = {"content-length", "date"}
                head = " ".join(f"{k}={v}" for k, v in answer.headers.items() if k not in hidden)
                text = answer.content.decode("utf-8", "backslashreplace")
                lines = [json.dumps(each, ensure_ascii=False)[1:-1] for each in text.split("\n\n")]
                said = "\n".join(lines).replace(r"\"", '"')
                found.append(f"> {call}\n{answer.status_code} {head}\n{said}\n")
        return found

    return "\n".join(asyncio.run(ask()))


def _calls() -> list[str]:
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("> ") for line in lines if line.startswith("> ")]


def test_calls_are_answered_as_is_written_down(tmp_path: Path) -> None:
    """`python -m tests.mockserver.models.test_answers` writes the answers anew."""
    assert _answers(tmp_path, _calls()) == GOLDEN.read_text(encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        text = _answers(Path(place), _calls())
    GOLDEN.write_text(text, encoding="utf-8")
