"""The tools of a session as function declarations of the models' APIs, and as OpenAPI.

Sources: the public references of OpenAI's chat completions (`tools`), of Anthropic's messages
(`tools`), of Gemini's generateContent (`functionDeclarations`), and OpenAPI 3.1.
"""

from collections.abc import Callable, Mapping, Sequence

from mockserver.model import JsonObject

_VERSION = "1.0.0"


def _own(tools: Sequence[JsonObject]) -> JsonObject:
    return {"tools": list(tools)}


def _openai(tools: Sequence[JsonObject]) -> JsonObject:
    return {
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool["description"],
                    "parameters": tool["inputSchema"],
                },
            }
            for tool in tools
        ]
    }


def _anthropic(tools: Sequence[JsonObject]) -> JsonObject:
    return {
        "tools": [
            {
                "name": tool["name"],
                "description": tool["description"],
                "input_schema": tool["inputSchema"],
            }
            for tool in tools
        ]
    }


def _gemini(tools: Sequence[JsonObject]) -> JsonObject:
    declarations = [
        {
            "name": tool["name"],
            "description": tool["description"],
            "parametersJsonSchema": tool["inputSchema"],
        }
        for tool in tools
    ]
    return {"tools": [{"functionDeclarations": declarations}]}


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
    "": _own,
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openapi": _openapi,
}
"""How tools are listed, by the word that `GET /tools?format=` asks for it by."""
