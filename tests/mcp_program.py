"""A small MCP server over standard input and output, in plain JSON, for those that record one.

Its tools: `echo` only reads; `book` reports how far it is, logs, and asks the user; `fail` fails;
`wait` never answers. Words of its command line change it: `--without-book`, `--renamed`, `--pages`.
"""

import json
import sys
from typing import Any

EMAIL = "ann.lee@travel-corp.com"
ECHO = {
    "name": "echo",
    "description": "Says what it was told.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
    "annotations": {"readOnlyHint": True},
}
OTHERS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("book", "fail", "wait")]
CAPABILITIES: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}}


def say(message: dict[str, Any]) -> None:
    """Send one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tools() -> list[dict[str, Any]]:
    """The tools, as the words of the command line change them."""
    echo = dict(ECHO)
    if "--renamed" in sys.argv:
        echo["inputSchema"] = {"type": "object", "properties": {"words": {"type": "string"}}}
    left = [tool for tool in OTHERS if "--without-book" not in sys.argv or tool["name"] != "book"]
    return [echo, *left]


def page(cursor: str | None) -> dict[str, Any]:
    """One page of the tools."""
    if "--pages" not in sys.argv:
        return {"tools": tools()}
    return {"tools": tools()[1:]} if cursor else {"tools": tools()[:1], "nextCursor": "second"}


def told(params: dict[str, Any], words: str) -> dict[str, Any]:
    """A result of a tool."""
    return {"content": [{"type": "text", "text": words}], "structuredContent": {"said": words}}


def call(params: dict[str, Any]) -> dict[str, Any] | None:
    """What a tool answers."""
    name, arguments = params["name"], params.get("arguments", {})
    if name == "echo":
        said = arguments.get("words" if "--renamed" in sys.argv else "text", "")
        return {"result": told(params, f"{said} of {EMAIL}")}
    if name == "book":
        token = params.get("_meta", {}).get("progressToken")
        if token is not None:
            more = {"progressToken": token, "progress": 1, "total": 2, "message": "asks"}
            say({"method": "notifications/progress", "params": more})
        say({"method": "notifications/message", "params": {"level": "info", "data": "booking"}})
        if arguments.get("ask"):
            form = {"type": "object", "properties": {"seats": {"type": "integer"}}}
            question = {"message": "How many?", "requestedSchema": form}
            say({"id": "q1", "method": "elicitation/create", "params": question})
            answer = json.loads(sys.stdin.readline())
            return {"result": told(params, json.dumps(answer["result"]["content"]))}
        return {"result": told(params, "booked")}
    if name == "fail":
        return {"result": {**told(params, "no seats"), "isError": True}}
    return {"error": {"code": -32602, "message": f"Unknown tool: {name}"}}


FIXED: dict[str, dict[str, Any]] = {
    "resources/list": {"resources": [{"uri": "doc://rules", "name": "rules"}]},
    "resources/templates/list": {"resourceTemplates": []},
    "prompts/list": {"prompts": [{"name": "plan"}]},
    "prompts/get": {
        "messages": [{"role": "user", "content": {"type": "text", "text": "Plan it."}}]
    },
    "completion/complete": {"completion": {"values": ["Bonn"]}},
    "ping": {},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """What a request is answered; None where it is never."""
    if method == "initialize":
        info = {"name": "words", "version": "3"}
        hello = {"protocolVersion": params["protocolVersion"], "capabilities": CAPABILITIES}
        return {"result": {**hello, "serverInfo": info, "instructions": "Say it."}}
    if method == "tools/list":
        return {"result": page(params.get("cursor"))}
    if method == "tools/call":
        return None if params["name"] == "wait" else call(params)
    if method == "resources/read":
        return {"result": {"contents": [{"uri": params["uri"], "text": "Be kind."}]}}
    if method in FIXED:
        return {"result": FIXED[method]}
    return {"error": {"code": -32601, "message": f"Unknown method: {method}"}}


def main() -> None:
    """Answer line by line until the client leaves."""
    for line in iter(sys.stdin.readline, ""):
        message = json.loads(line)
        if "method" not in message or "id" not in message:
            continue
        found = answer(message["method"], message.get("params", {}))
        if found is not None:
            say({"id": message["id"], **found})


if __name__ == "__main__":
    main()
