"""Plays a part of a pair: `agent_of_pairs.py PARTS bad|good` reads a case's name on stdin.

PARTS is a JSON file, name to `{"bad", "good"}`, each lines of Python over the names below: real
calls of the session's tools and APIs, and real ways to answer, die or hang.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any


def sent(method: str, url: str, body: Any = None) -> tuple[int, Any]:
    """Status and body of a request in this session."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, method=method)
    request.add_header("Content-Type", "application/json")
    request.add_header("Authorization", f"Bearer {os.environ['GOOGLE_OAUTH_ACCESS_TOKEN']}")
    try:
        with urllib.request.urlopen(request) as answer:
            content = answer.read()
            return answer.status, json.loads(content) if content else None
    except urllib.error.HTTPError as error:
        return error.code, None


def tool(name: str, **args: Any) -> dict[str, Any]:
    """Call a tool; the call as it is to be reported."""
    status, _ = sent("POST", f"{os.environ['TOOLS_BASE_URL']}/{name}", args)
    return call(name, "ok" if status < 400 else "error", **args)


def call(name: str, outcome: str = "", **args: Any) -> dict[str, Any]:
    """A call as an agent reports it, whether it was made or not."""
    return {"name": name, "args": args, **({"status": outcome} if outcome else {})}


def directory(method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """A request to the Directory API."""
    base = os.environ["GOOGLE_API_BASE_URL"]
    return sent(method, f"{base}/admin.googleapis.com/admin/directory/v1/{path}", body)


UNITS = "customer/my_customer/orgunits"


def new_unit(name: str) -> tuple[int, Any]:
    """Make an org unit below the root."""
    return directory("POST", UNITS, {"name": name, "parentOrgUnitPath": "/"})


def say(text: str, *calls: Any, **more: Any) -> None:
    """Answer with the calls that are owned up to."""
    plain(json.dumps({"text": text, "toolCalls": list(calls), **more}))


def plain(text: str) -> None:
    """Answer with text alone."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def die(number: int) -> None:
    """End by a signal."""
    os.kill(os.getpid(), number)


PARTS: dict[str, Any] = {
    **{part.__name__: part for part in (call, die, directory, new_unit, plain, say, sent, tool)},
    **{module.__name__: module for module in (json, pathlib, signal, subprocess, sys, time)},
    "UNITS": UNITS,
}
"""The names that a part may use."""

if __name__ == "__main__":
    _parts = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    exec(_parts[sys.stdin.read().strip()][sys.argv[2]], PARTS)
