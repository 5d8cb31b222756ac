"""A conversation with a declared API: whole requests and whole answers."""

import re
from pathlib import Path
from typing import Any

import yaml

from tests.mockserver.declared.worlds import Declared, declared, write_suite

SUITE = Path(__file__).with_name("conversation.yaml")
GOLDEN = Path(__file__).with_name("conversation.golden.txt")
ROWS: dict[str, Any] = {
    "logs": [{"id": f"l{number}"} for number in range(5)],
    "memos": [{"num": number, "text": "abcde"[number]} for number in range(5)],
    "spots": [{"id": f"s{number}"} for number in range(5)],
}
USUAL = re.compile(r"content-(length|type: application/json)|x-mock-|x-request-id|cache-control")


async def told(shop: Declared, request: str) -> str:
    """A request and its answer, as the file beside this one has them."""
    head, _, body = request.partition("\n\n")
    first, *lines = head.splitlines()
    verb, path = first.split(" ", 1)
    headers = dict(line.split(": ", 1) for line in lines)
    headers = {"content-type": "application/json", **headers}
    answer = await shop.ask(verb, path, headers=headers, content=body.encode())
    said = [f"{name}: {value}" for name, value in answer.headers.items()]
    shown = [line for line in said if not USUAL.match(line)]
    return "\n".join([request, f"--- {answer.status_code}", *shown, *answer.text.splitlines()])


async def test_a_conversation_goes_as_it_is_written(tmp_path: Path) -> None:
    """Blocks of the file: verb and path, headers, a blank line and a body; the answer after ---."""
    golden = GOLDEN.read_text(encoding="utf-8")
    blocks = golden.removesuffix("\n").split("\n====\n")
    suite = write_suite(tmp_path, yaml.safe_load(SUITE.read_text(encoding="utf-8")), ROWS)
    async with declared(suite, url="/v1") as shop:
        found = [await told(shop, block.partition("\n---")[0]) for block in blocks]
    assert found == blocks
