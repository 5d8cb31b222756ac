"""A run with models and tools through three SDKs; every event that comes is printed."""

import json
import os
import sys
from datetime import UTC, datetime
from typing import Any

import anthropic
import httpx
import openai
from google import genai
from google.genai import types

SYSTEM = f"It is {datetime.now(UTC):%A, %B %d, %Y, %H:%M:%S}."
TASK = "How is the weather?"
TOOL = {"name": "get_weather", "description": "The weather of a city."}
SCHEMA: Any = {"type": "object", "properties": {"city": {"type": "string"}}}


def show(event: Any) -> None:
    # the headers of the transport name who answered
    value = event.model_dump(mode="json", exclude={"sdk_http_response"})
    sys.stdout.write(f"{json.dumps(value, sort_keys=True)}\n")


def get_weather(city: str) -> str:
    return httpx.get(f"{os.environ['WEATHER_URL']}/weather", params={"city": city}).text


def with_openai() -> None:
    client = openai.OpenAI(max_retries=0)
    messages: Any = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]
    tools: Any = [{"type": "function", "function": {**TOOL, "parameters": SCHEMA}}]
    while True:
        with client.chat.completions.stream(
            model="gpt-5", messages=messages, tools=tools
        ) as events:
            for event in events:
                if event.type == "chunk":
                    show(event.chunk)
            message = events.get_final_completion().choices[0].message
        if not message.tool_calls:
            break
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            content = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    answer = client.responses.create(model="gpt-5", instructions=SYSTEM, input="hello")
    show(answer)
    show(client.embeddings.create(model="text-embedding-3-small", input=["a", "b"], dimensions=3))


def with_anthropic() -> None:
    client = anthropic.Anthropic(max_retries=0)
    messages: Any = [{"role": "user", "content": TASK}]
    tools: Any = [{**TOOL, "input_schema": SCHEMA}]
    while True:
        asked = {"model": "claude", "max_tokens": 99, "system": SYSTEM, "tools": tools}
        with client.messages.stream(messages=messages, **asked) as events:
            for event in events:
                show(event)
            message = events.get_final_message()
        uses = [block for block in message.content if block.type == "tool_use"]
        if not uses:
            break
        results = [
            {
                "type": "tool_result",
                "tool_use_id": use.id,
                "content": get_weather(str(use.input["city"])),
            }
            for use in uses
        ]
        messages += [{"role": "assistant", "content": message.content},
                     {"role": "user", "content": results}]  # fmt: skip


def with_genai() -> None:
    options = types.HttpOptions(base_url=os.environ["GOOGLE_GEMINI_BASE_URL"])
    client = genai.Client(api_key=os.environ.get("GOOGLE_API_KEY", "none"), http_options=options)
    declared = types.FunctionDeclaration(**TOOL, parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        system_instruction=SYSTEM, tools=[types.Tool(function_declarations=[declared])]
    )
    contents: Any = [types.Content(role="user", parts=[types.Part(text=TASK)])]
    while True:
        parts: list[Any] = []
        chunks: Any = client.models.generate_content_stream(
            model="gemini-9", contents=contents, config=config
        )
        for chunk in chunks:
            show(chunk)
            parts += chunk.candidates[0].content.parts or []
        calls = [part.function_call for part in parts if part.function_call]
        if not calls:
            break
        results = [
            types.Part.from_function_response(
                name=call.name, response=json.loads(get_weather(**call.args))
            )
            for call in calls
        ]
        contents += [types.Content(role="model", parts=parts),
                     types.Content(role="user", parts=results)]  # fmt: skip


for name in sys.argv[1:]:
    {"openai": with_openai, "anthropic": with_anthropic, "genai": with_genai}[name]()
