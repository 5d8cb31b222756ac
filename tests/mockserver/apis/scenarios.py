"""Scenarios of an API that are kept whole: every request in turn, and its answer.

A file of tests asks, `.golden.txt` beside it has the answers. To write that anew, and to see in
its difference what a change comes to: python -m tests.mockserver.apis.scenarios gmail.test_scenario
"""

import json
import sys
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx

from mockserver.googleapi import ApiError, Dialect, envelope
from mockserver.model import SessionSpec
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.workspace import ANN


class Scenario:
    """Asks and writes down what was asked and answered, refusals as well.

    Args:
        ask: Answers a method by its name, body, asker and parameters; raises ApiError.
        dialect: The form of refusals.
    """

    def __init__(self, ask: Callable[..., Any], dialect: Dialect = "one_platform") -> None:
        self._ask, self._dialect = ask, dialect
        self.lines: list[str] = []

    def __call__(self, method: str, /, body: Any = None, who: Any = ANN, **params: Any) -> Any:
        told = [method, *([] if who == ANN else [who]), params, *([] if body is None else [body])]
        self.lines.append(" ".join(map(_text, told)))
        try:
            answer = self._ask(method, body, who, **params)
        except ApiError as error:
            answer = {"status": error.status, **envelope(error, self._dialect)}
        self.lines.append(f"    {_text(answer)}")
        return answer


def over_http(root: str, script: Callable[[Scenario], None], **snapshot: Any) -> Scenario:
    """A scenario over HTTP, such as `call("POST zones", {...}, wait=60)`.

    Args:
        root: What the addresses begin with.
        script: Asks; a second goes by before each request, or as many as it waits.
        snapshot: What the world holds at first.
    """
    spec = SessionSpec(clock="frozen:2026-03-02T09:00:00Z", seed=1, overrides=(snapshot,))
    transport = EmulatorTransport(spec=spec)
    with httpx.Client(transport=transport, base_url=root) as client:
        client.headers["Authorization"] = "Bearer t"

        def ask(line: str, body: Any, _: str, /, **wait: float) -> Any:
            transport.session.world.clock.advance(timedelta(seconds=wait.get("wait", 1)))
            verb, _, path = line.partition(" ")
            answer = client.request(verb, path, json=body)
            assert not answer.content or "json" in answer.headers["content-type"], answer.text
            told = answer.json() if answer.content else {}
            return told if answer.is_success else {"status": answer.status_code, **told}

        call = Scenario(ask)
        script(call)
    return call


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def check(test_file: str, scenario: Scenario) -> None:
    """Hold a scenario against the one that was written down beside a file of tests."""
    golden = _golden(test_file).read_text(encoding="utf-8").splitlines()
    for number, (found, known) in enumerate(zip(scenario.lines, golden, strict=False), 1):
        assert found == known, f"line {number}, after {scenario.lines[number - 2 : number - 1]}"
    assert len(scenario.lines) == len(golden)


def _golden(test_file: str) -> Path:
    return Path(test_file).with_suffix(".golden.txt")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        module = import_module(f"tests.mockserver.apis.{name}")
        _golden(str(module.__file__)).write_text("\n".join(module.scenario().lines) + "\n", "utf-8")
