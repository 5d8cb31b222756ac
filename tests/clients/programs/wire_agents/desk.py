"""The loop of an agent that others reach over a wire: a model, two tools, and no framework.

What it asks stands in the environment block that comes with each request.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.request import Request, urlopen

_TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("suspend_user", "write_log")
]


def block_of(headers: Mapping[str, str]) -> dict[str, str]:
    """What a request says of its session."""
    return dict(json.loads(headers["x-mock-env"]))


def work(prompt: str, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each tool that is called, as `("call", name)`, and the answer, as `("text", answer)`."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    while True:
        body = {"model": "gpt-5-mini", "messages": messages, "tools": _TOOLS}
        said = _post(f"{env['OPENAI_BASE_URL']}/chat/completions", body, env)
        message = said["choices"][0]["message"]
        messages.append(message)
        calls = message.get("tool_calls") or ()
        if not calls:
            yield "text", message["content"]
            return
        for call in calls:
            function = call["function"]
            yield "call", function["name"]
            result = _call(function["name"], json.loads(function["arguments"]), env)
            messages.append(
                {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)}
            )


def _call(name: str, arguments: dict[str, str], env: Mapping[str, str]) -> Any:
    if name == "suspend_user":
        url = f"{env['GOOGLE_API_BASE_URL']}/admin/directory/v1/users/{arguments['email']}"
        return _post(url, {"suspended": True}, env, method="PATCH")
    return _post(f"{env['TOOLS_BASE_URL']}/{name}", arguments, env)["result"]


def _post(url: str, body: Any, env: Mapping[str, str], method: str = "POST") -> Any:
    token = env["OPENAI_API_KEY"] if "/chat/" in url else env["GOOGLE_OAUTH_ACCESS_TOKEN"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(url, json.dumps(body).encode(), headers, method=method)) as answer:
        return json.load(answer)
