"""Talks with an API that are kept whole: every request in turn, and its answer.

`test_talk.py` of a room asks, `talk.golden.txt` beside it has the answers. To write that anew, and
to see in its difference what a change comes to: python -m tests.mockserver.apis.talks ROOM...
"""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from mockserver.googleapi import ApiError, Dialect, envelope
from tests.mockserver.apis.workspace import ANN


class Talk:
    """Asks and writes down what was asked and answered, refusals as well.

    Args:
        ask: Answers a method by its name, body, asker and parameters.
        dialect: The form of refusals.
    """

    def __init__(self, ask: Callable[..., Any], dialect: Dialect = "one_platform") -> None:
        self._ask, self._dialect = ask, dialect
        self.lines: list[str] = []

    def __call__(self, method: str, /, body: Any = None, who: str = ANN, **params: Any) -> Any:
        told = [method, *([] if who == ANN else [who]), params, *([] if body is None else [body])]
        self.lines.append(" ".join(map(_text, told)))
        try:
            answer = self._ask(method, body, who, **params)
        except ApiError as error:
            answer = {"status": error.status, **envelope(error, self._dialect)}
        self.lines.append(f"    {_text(answer)}")
        return answer


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def check(test_file: str, talk: Talk) -> None:
    """Hold a talk against the one that was written down beside a file of tests."""
    golden = Path(test_file).with_name("talk.golden.txt").read_text(encoding="utf-8").splitlines()
    for number, (found, known) in enumerate(zip(talk.lines, golden, strict=False), 1):
        assert found == known, f"line {number}, after {talk.lines[number - 2 : number - 1]}"
    assert len(talk.lines) == len(golden)


if __name__ == "__main__":
    for room in sys.argv[1:]:
        module = import_module(f"tests.mockserver.apis.{room}.test_talk")
        written = "\n".join(module.talk().lines) + "\n"
        Path(str(module.__file__)).with_name("talk.golden.txt").write_text(written, "utf-8")
