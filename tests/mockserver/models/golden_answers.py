"""Calls of scripted models and agents in one session, and what they answer, as a whole."""

import asyncio
import json
import re
import tempfile
from pathlib import Path

from mockserver.model import ERROR_STATUS
from tests.mockserver.declared.worlds import declared
from tests.mockserver.models.suites import write_script

GOLDEN = [Path(__file__).parent / room / "answers.golden.txt" for room in ("agents", "providers")]
"""Calls in order, `> verb path body`, and below each what it answers.

In a call `$resp` stands for the last id of that kind.
"""

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
""" + "".join(f"  - {{user: {kind}, error: {kind}}}\n" for kind in ERROR_STATUS)
_HIDDEN = {"content-length", "date"}


def written_answers(golden: Path, folder: Path) -> tuple[str, str]:
    """What is written down, and what the same calls are answered now."""
    text = golden.read_text(encoding="utf-8")
    calls = [line.removeprefix("> ") for line in text.splitlines() if line.startswith("> ")]
    return text, asyncio.run(_answers(calls, write_script(folder, SCRIPT)))


def _with_ids(call: str, so_far: str) -> str:
    return re.sub(r"\$(\w+)", lambda kind: re.findall(rf"\b{kind[1]}_\w+", so_far)[-1], call)


async def _answers(calls: list[str], suite: Path) -> str:
    found = ""
    async with declared(suite, seed=7) as world:
        for call in calls:
            verb, path, *body = _with_ids(call, found).split(" ", 2)
            answer = await world.ask(verb, path, content="".join(body))
            head = " ".join(f"{k}={v}" for k, v in answer.headers.items() if k not in _HIDDEN)
            text = answer.content.decode("utf-8", "backslashreplace")
            lines = [json.dumps(each, ensure_ascii=False)[1:-1] for each in text.split("\n\n")]
            said = "\n".join(lines).replace(r"\"", '"')
            found += f"> {call}\n{answer.status_code} {head}\n{said}\n\n"
    return found


if __name__ == "__main__":
    for each in GOLDEN:
        with tempfile.TemporaryDirectory() as place:
            each.write_text(written_answers(each, Path(place))[1], encoding="utf-8")
