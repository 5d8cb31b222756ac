"""Checks the tools that a snapshot prepares; they are served as they are written."""

from typing import Any

from mockserver.apis.tools.arguments import schema_problem, schema_violations
from mockserver.errors import Problem
from mockserver.googleapi import SnapshotImport, nearest
from mockserver.stubs import MATCHERS, matcher_problem
from mockserver.templates import TemplateError, condition, template_problems

_OF_TOOL = frozenset({
    "annotations", "call", "description", "inputSchema", "outputSchema", "responses", "result",
    "title",
})  # fmt: skip
_OF_CALL = frozenset({"body", "method", "params"})
_OF_RESPONSE = frozenset({"error", "number", "result", "state", "template", "when"})


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
        schema = tool.get("inputSchema")
        if isinstance(schema, dict) and schema.get("type", "object") != "object":
            text = "its arguments are one object: the type must be object, or be left out"
            found.problems.append(Problem(f"{pointer}/inputSchema/type", text))
            continue
        for key in ("inputSchema", "outputSchema"):
            problem = schema_problem(tool[key]) if tool.get(key) is not None else ""
            if problem:
                found.problems.append(Problem(f"{pointer}/{key}", problem))
        for key, kind in (("description", str), ("title", str), ("annotations", dict)):
            if not isinstance(tool.get(key), kind | None):
                text = "expected a text" if kind is str else "expected an object"
                found.problems.append(Problem(f"{pointer}/{key}", text))
        if tool.get("call") is not None:
            _check_call(found, pointer, tool)
        elif "result" in tool:
            text = "'result' says what is made of the answer of 'call', and there is no 'call'"
            found.problems.append(Problem(f"{pointer}/result", text, "write it in 'responses'"))
        _check_responses(found, pointer, tool)


def _check_call(found: SnapshotImport, pointer: str, tool: dict[str, Any]) -> None:
    call = tool["call"]
    if isinstance(call, dict):
        _check_keys(found, f"{pointer}/call", call, _OF_CALL)
    method = call.get("method") if isinstance(call, dict) else call
    if not isinstance(method, str) or not method:
        text = "expected the id of a method, or an object with 'method', 'params' and 'body'"
        found.problems.append(Problem(f"{pointer}/call", text))
    if tool.get("responses"):
        text = "a tool has either 'call' or 'responses'"
        found.problems.append(Problem(f"{pointer}/responses", text))
    for key, value in (("call", call), ("result", tool.get("result"))):
        for where, reason in template_problems(value, f"{pointer}/{key}"):
            found.problems.append(Problem(where, f"not a template: {reason}"))


def _check_responses(found: SnapshotImport, pointer: str, tool: dict[str, Any]) -> None:
    responses = tool.get("responses", [])
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
        _check_rest(found, where, response)
        schema = tool.get("outputSchema")
        if schema is None or "result" not in response or response.get("template"):
            continue
        if not schema_problem(schema):
            for field, reason in schema_violations(schema, response["result"])[:1]:
                text = f"not as the outputSchema says: {field or 'it'}: {reason}"
                found.problems.append(Problem(f"{where}/result", text))


def _check_rest(found: SnapshotImport, where: str, response: dict[str, Any]) -> None:
    """Note what is wrong with the call number, the condition and the templates of a response."""
    number, state = response.get("number", 1), response.get("state", "true")
    is_matcher = isinstance(number, dict) and len(number) == 1 and next(iter(number)) in MATCHERS
    if not is_matcher and (isinstance(number, bool) or not isinstance(number, int)):
        text = "expected the number of a call, from 1, or a matcher such as {'in': [1, 2]}"
        found.problems.append(Problem(f"{where}/number", text))
    if not isinstance(response.get("template", False), bool):
        found.problems.append(Problem(f"{where}/template", "expected true or false"))
    try:
        condition(state if isinstance(state, str) else "")
    except TemplateError as error:
        found.problems.append(Problem(f"{where}/state", f"not an expression: {error}"))
    if response.get("template") is True:
        for key in ("result", "error"):
            for place, reason in template_problems(response.get(key), f"{where}/{key}"):
                found.problems.append(Problem(place, f"not a template: {reason}"))


def _check_when(found: SnapshotImport, pointer: str, when: Any) -> None:
    if not isinstance(when, dict):
        found.problems.append(Problem(pointer, "expected an object of arguments"))
        return
    for name, wanted in when.items():
        text = matcher_problem(wanted)
        if text:
            kind = next(iter(wanted))
            found.problems.append(Problem(f"{pointer}/{name}/{kind}", text))


def _check_keys(
    found: SnapshotImport, pointer: str, given: dict[str, Any], known: frozenset[str]
) -> None:
    for key in given.keys() - known:
        near = nearest(key, known)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(sorted(known))}"
        found.problems.append(Problem(f"{pointer}/{key}", f"unknown key {key!r}", hint))
