"""The tools of a session as function declarations of the models' APIs, and as OpenAPI.

Sources: the public references of OpenAI's chat completions (`tools`), of Anthropic's messages
(`tools`), of Gemini's generateContent (`functionDeclarations`), and OpenAPI 3.1.
"""

from collections.abc import Callable, Mapping, Sequence

from mockserver.model import JsonObject

_VERSION = "1.0.0"


def _declared(tools: Sequence[JsonObject], schema: str) -> list[JsonObject]:
    """Tools with the schema of their arguments in a field."""
    return [
        {"name": tool["name"], "description": tool["description"], schema: tool["inputSchema"]}
        for tool in tools
    ]


def _openapi(tools: Sequence[JsonObject]) -> JsonObject:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tools", "version": _VERSION},
        "paths": {f"/tools/{tool['name']}": {"post": _operation(tool)} for tool in tools},
    }


def _operation(tool: JsonObject) -> JsonObject:
    result = tool.get("outputSchema") or {}
    answer = {"type": "object", "properties": {"result": result}, "required": ["result"]}
    return {
        "operationId": tool["name"],
        "description": tool["description"],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": tool["inputSchema"]}},
        },
        "responses": {
            "200": {
                "description": "The result.",
                "content": {"application/json": {"schema": answer}},
            },
            "default": {"description": "An error: `{error: {code, message, status}}`."},
        },
    }


FORMS: Mapping[str, Callable[[Sequence[JsonObject]], JsonObject]] = {
    "": lambda tools: {"tools": list(tools)},
    "openai": lambda tools: {
        "tools": [{"type": "function", "function": each} for each in _declared(tools, "parameters")]
    },
    "anthropic": lambda tools: {"tools": _declared(tools, "input_schema")},
    "gemini": lambda tools: {
        "tools": [{"functionDeclarations": _declared(tools, "parametersJsonSchema")}]
    },
    "openapi": _openapi,
}
"""How tools are listed, by the word that `GET /tools?format=` asks for it by."""
