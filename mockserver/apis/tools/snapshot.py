"""Checks the tools that a snapshot prepares; they are served as they are written."""

from typing import Any

from mockserver.apis.tools.arguments import MATCHERS, compile_pattern, schema_problem
from mockserver.errors import Problem
from mockserver.googleapi import SnapshotImport, nearest

_OF_TOOL = frozenset({"description", "inputSchema", "responses"})
_OF_RESPONSE = frozenset({"when", "result", "error"})


def import_snapshot(found: SnapshotImport) -> None:
    """Note every tool definition that cannot be served."""
    tools = found.raw.get("tools")
    if not isinstance(tools, dict):
        return
    for name, tool in tools.items():
        pointer = f"/tools/{name}"
        if not isinstance(tool, dict):
            found.problems.append(Problem(pointer, "expected an object"))
            continue
        _check_keys(found, pointer, tool, _OF_TOOL)
        if tool.get("inputSchema") is not None:
            problem = schema_problem(tool["inputSchema"])
            if problem:
                found.problems.append(Problem(f"{pointer}/inputSchema", problem))
        _check_responses(found, pointer, tool.get("responses", []))


def _check_responses(found: SnapshotImport, pointer: str, responses: Any) -> None:
    if not isinstance(responses, list):
        found.problems.append(Problem(f"{pointer}/responses", "expected an array"))
        return
    for number, response in enumerate(responses):
        where = f"{pointer}/responses/{number}"
        if not isinstance(response, dict) or ("result" in response) == ("error" in response):
            text = "expected an object with either 'result' or 'error'"
            found.problems.append(Problem(where, text))
            continue
        _check_keys(found, where, response, _OF_RESPONSE)
        error = response.get("error", {"status": 500})
        status = error.get("status") if isinstance(error, dict) else None
        if not isinstance(status, int) or not 400 <= status <= 599:
            text = "expected an object with a 'status' from 400 to 599"
            found.problems.append(Problem(f"{where}/error", text))
        _check_when(found, f"{where}/when", response.get("when", {}))


def _check_when(found: SnapshotImport, pointer: str, when: Any) -> None:
    if not isinstance(when, dict):
        found.problems.append(Problem(pointer, "expected an object of arguments"))
        return
    for name, wanted in when.items():
        text = matcher_problem(wanted)
        if text:
            kind = next(iter(wanted))
            found.problems.append(Problem(f"{pointer}/{name}/{kind}", text))


def matcher_problem(wanted: Any) -> str:
    """What is wrong with a wanted value that is a matcher; empty for any other value."""
    if not isinstance(wanted, dict) or len(wanted) != 1:
        return ""
    [(kind, operand)] = wanted.items()
    if kind not in MATCHERS:
        return ""
    if kind == "in":
        return "" if isinstance(operand, list) else "expected an array of values"
    if kind != "regex":
        return "" if isinstance(operand, bool) else "expected true or false"
    try:
        compile_pattern(operand)
    except ValueError as error:
        return str(error)
    return ""


def _check_keys(
    found: SnapshotImport, pointer: str, given: dict[str, Any], known: frozenset[str]
) -> None:
    for key in given.keys() - known:
        near = nearest(key, known)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(sorted(known))}"
        found.problems.append(Problem(f"{pointer}/{key}", f"unknown key {key!r}", hint))
