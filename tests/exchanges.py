"""Requests to an emulated API in order, each with its whole answer: golden files of rooms.

`python -m tests.exchanges FILE...` writes the answers anew; what changed is to be read before it is
kept. The first line of a file is an object: the `snapshot`, the `apis` that are declared beside it,
the `base` of its addresses, and the `headers` of answers that are shown. The others are pairs of
lines, a request and its answer; the body of a request is JSON or, where that is a text, sent as it
is, and its headers follow.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from mockserver.model import SessionSpec
from mockserver.testing import EmulatorTransport

CLOCK = "frozen:2026-03-05T12:00:00Z"


def written(golden: Path) -> list[str]:
    """The lines of a golden file."""
    return golden.read_text(encoding="utf-8").splitlines()


def answered(lines: Sequence[str], folder: Path) -> list[str]:
    """The lines of a golden file with the answers that the requests get in a new session."""
    head = json.loads(lines[0])
    files = {"base/all.json": head["snapshot"]}
    files |= {f"apis/{each['api']}.yaml": each for each in head.get("apis", ())}
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    transport = EmulatorTransport(folder, SessionSpec(clock=CLOCK))
    own = {"Authorization": "Bearer t"}
    with httpx.Client(transport=transport, base_url=head["base"], headers=own) as http:
        return [lines[0], *_exchanges(http, lines[1:], head.get("headers", ()))]


def _exchanges(http: httpx.Client, lines: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    for line in lines[::2]:
        verb, address, *sent = line.split(" ", 2)
        body, headers = _parts(sent[0]) if sent else (None, {})
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        if body is not None and not isinstance(body, str):
            headers = {"Content-Type": "application/json", **headers}
        answer = http.request(
            verb, address, content=content if body is not None else None, headers=headers
        )
        yield line
        yield " ".join([str(answer.status_code), *_shown(answer, shown)])


def _parts(text: str) -> tuple[Any, dict[str, str]]:
    body, end = json.JSONDecoder().raw_decode(text)
    return body, json.loads(text[end:]) if text[end:].strip() else {}


def _shown(answer: httpx.Response, names: Sequence[str]) -> Iterator[str]:
    headers = {name: answer.headers[name] for name in names if name in answer.headers}
    if headers:
        yield json.dumps(headers)
    if not answer.content:
        return
    try:
        told = answer.json()
    except ValueError:
        told = answer.text
    yield json.dumps(told, ensure_ascii=False)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        with TemporaryDirectory() as made:
            path.write_text("\n".join(answered(written(path), Path(made))) + "\n", encoding="utf-8")
