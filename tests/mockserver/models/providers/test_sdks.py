"""The official clients of the providers, unchanged, against one scripted model."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anthropic
import ollama
import openai
import pytest
from google import genai
from google.genai import types
from typing_extensions import override

from mockserver.testing import mock
from tests.clients.sdks import packages_of
from tests.mockserver.models.suites import write_script

pytestmark = pytest.mark.slow  # five large SDKs are imported

WEATHER = {"degrees": 21, "city": "Bern"}


class Said(NamedTuple):
    """What a client made of a reply."""

    text: str
    call: tuple[str, Any] | None = None
    reasoning: str = ""


class Client:
    """What every provider's client can do, in its own words."""

    def ask(self, text: str) -> Said:
        raise NotImplementedError

    def stream(self, text: str) -> Said:
        raise NotImplementedError

    def answer_tool(self, text: str) -> str:
        """Ask, answer the tool call that comes back with `WEATHER`, and go on."""
        raise NotImplementedError


class OpenAiChat(Client):
    def __init__(self) -> None:
        self.client = openai.OpenAI(max_retries=1)

    @override
    def ask(self, text: str) -> Said:
        return self._said(self._create([{"role": "user", "content": text}]))

    @override
    def stream(self, text: str) -> Said:
        messages: Any = [{"role": "user", "content": text}]
        with self.client.chat.completions.stream(model="gpt-5", messages=messages) as events:
            return self._said(events.get_final_completion())

    @override
    def answer_tool(self, text: str) -> str:
        messages: Any = [{"role": "user", "content": text}]
        message = self._create(messages).choices[0].message
        result = {"role": "tool", "tool_call_id": message.tool_calls[0].id,
                  "content": json.dumps(WEATHER)}  # fmt: skip
        messages = [*messages, message.model_dump(exclude_none=True), result]
        return str(self._create(messages).choices[0].message.content)

    def _create(self, messages: Any) -> Any:
        return self.client.chat.completions.create(model="gpt-5", messages=messages)

    @staticmethod
    def _said(completion: Any) -> Said:
        message = completion.choices[0].message
        calls = message.tool_calls or []
        call = (calls[0].function.name, json.loads(calls[0].function.arguments)) if calls else None
        return Said(message.content or "", call, getattr(message, "reasoning_content", ""))


class OpenAiResponses(Client):
    def __init__(self) -> None:
        self.client = openai.OpenAI(max_retries=1)

    @override
    def ask(self, text: str) -> Said:
        return self._said(self.client.responses.create(model="gpt-5", input=text))

    @override
    def stream(self, text: str) -> Said:
        with self.client.responses.stream(model="gpt-5", input=text) as events:
            return self._said(events.get_final_response())

    @override
    def answer_tool(self, text: str) -> str:
        first = self.client.responses.create(model="gpt-5", input=text)
        call: Any = first.output[0]
        output = {"type": "function_call_output", "call_id": call.call_id,
                  "output": json.dumps(WEATHER)}  # fmt: skip
        given: Any = [{"role": "user", "content": text}, call.model_dump(), output]
        return self.client.responses.create(model="gpt-5", input=given).output_text

    @staticmethod
    def _said(response: Any) -> Said:
        calls = [each for each in response.output if each.type == "function_call"]
        thoughts = [each for each in response.output if each.type == "reasoning"]
        call = (calls[0].name, json.loads(calls[0].arguments)) if calls else None
        return Said(response.output_text, call, thoughts[0].summary[0].text if thoughts else "")


class Anthropic(Client):
    def __init__(self) -> None:
        self.client = anthropic.Anthropic(max_retries=1)
        self.how: Any = {"model": "claude-next", "max_tokens": 100}

    @override
    def ask(self, text: str) -> Said:
        messages: Any = [{"role": "user", "content": text}]
        return self._said(self.client.messages.create(messages=messages, **self.how))

    @override
    def stream(self, text: str) -> Said:
        messages: Any = [{"role": "user", "content": text}]
        with self.client.messages.stream(messages=messages, **self.how) as events:
            return self._said(events.get_final_message())

    @override
    def answer_tool(self, text: str) -> str:
        messages: Any = [{"role": "user", "content": text}]
        first = self.client.messages.create(messages=messages, **self.how)
        blocks = [each.model_dump() for each in first.content]
        result = {"type": "tool_result", "tool_use_id": blocks[0]["id"],
                  "content": json.dumps(WEATHER)}  # fmt: skip
        messages += [{"role": "assistant", "content": blocks},
                     {"role": "user", "content": [result]}]  # fmt: skip
        return self._said(self.client.messages.create(messages=messages, **self.how)).text

    @staticmethod
    def _said(message: Any) -> Said:
        found = {each.type: each for each in message.content}
        call = (found["tool_use"].name, found["tool_use"].input) if "tool_use" in found else None
        thought = found["thinking"].thinking if "thinking" in found else ""
        return Said(found["text"].text if "text" in found else "", call, thought)


class Gemini(Client):
    def __init__(self) -> None:
        options = types.HttpOptions(base_url=os.environ["GOOGLE_GEMINI_BASE_URL"])
        self.client = genai.Client(api_key=os.environ["GOOGLE_API_KEY"], http_options=options)

    @override
    def ask(self, text: str) -> Said:
        return self._said([self.client.models.generate_content(model="gemini-9", contents=text)])

    @override
    def stream(self, text: str) -> Said:
        return self._said(
            [*self.client.models.generate_content_stream(model="gemini-9", contents=text)]
        )

    @override
    def answer_tool(self, text: str) -> str:
        chat = self.client.chats.create(model="gemini-9")
        chat.send_message(text)
        part = types.Part.from_function_response(name="get_weather", response=dict(WEATHER))
        return str(chat.send_message(part).text)

    @staticmethod
    def _said(responses: list[Any]) -> Said:
        parts = [part for each in responses for part in each.candidates[0].content.parts]
        calls = [part.function_call for part in parts if part.function_call]
        texts = [(part.thought, part.text) for part in parts if part.text]
        call = (calls[0].name, calls[0].args) if calls else None
        said = "".join(text for thought, text in texts if not thought)
        return Said(said, call, "".join(text for thought, text in texts if thought))


BOTO = "boto3==1.44.5"
"""Of an environment of its own: it wants an older python-dateutil than this project has."""


class Bedrock(Client):
    def __init__(self) -> None:
        folder = packages_of(BOTO)
        if isinstance(folder, str):
            pytest.skip(folder)
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        import boto3

        self.client = boto3.client("bedrock-runtime", region_name="us-east-1")

    @override
    def ask(self, text: str) -> Said:
        answer = self._converse([{"role": "user", "content": [{"text": text}]}])
        return self._said(answer["output"]["message"]["content"])

    @override
    def stream(self, text: str) -> Said:
        messages = [{"role": "user", "content": [{"text": text}]}]
        events = self.client.converse_stream(modelId="some.model-v1:0", messages=messages)["stream"]
        said, name, given, thought = "", "", "", ""
        for event in events:
            start = event.get("contentBlockStart", {}).get("start", {})
            name = start.get("toolUse", {}).get("name", name)
            delta = event.get("contentBlockDelta", {}).get("delta", {})
            said += delta.get("text", "")
            given += delta.get("toolUse", {}).get("input", "")
            thought += delta.get("reasoningContent", {}).get("text", "")
        return Said(said, (name, json.loads(given)) if name else None, thought)

    @override
    def answer_tool(self, text: str) -> str:
        messages: Any = [{"role": "user", "content": [{"text": text}]}]
        message = self._converse(messages)["output"]["message"]
        use = message["content"][0]["toolUse"]["toolUseId"]
        result = {"toolResult": {"toolUseId": use, "content": [{"json": WEATHER}]}}
        messages += [message, {"role": "user", "content": [result]}]
        return self._said(self._converse(messages)["output"]["message"]["content"]).text

    def _converse(self, messages: Any) -> Any:
        return self.client.converse(modelId="some.model-v1:0", messages=messages)

    @staticmethod
    def _said(blocks: Any) -> Said:
        found = {key: value for block in blocks for key, value in block.items()}
        use = found.get("toolUse")
        thought = found.get("reasoningContent", {}).get("reasoningText", {}).get("text", "")
        return Said(found.get("text", ""), (use["name"], use["input"]) if use else None, thought)


class Ollama(Client):
    def __init__(self) -> None:
        self.client = ollama.Client()

    @override
    def ask(self, text: str) -> Said:
        return self._said([self._chat([{"role": "user", "content": text}])])

    @override
    def stream(self, text: str) -> Said:
        messages = [{"role": "user", "content": text}]
        return self._said([*self.client.chat(model="llama", messages=messages, stream=True)])

    @override
    def answer_tool(self, text: str) -> str:
        messages: Any = [{"role": "user", "content": text}]
        message = self._chat(messages).message
        messages += [message, {"role": "tool", "content": json.dumps(WEATHER)}]
        return str(self._chat(messages).message.content)

    def _chat(self, messages: Any) -> Any:
        return self.client.chat(model="llama", messages=messages)

    @staticmethod
    def _said(parts: list[Any]) -> Said:
        messages = [each.message for each in parts]
        calls = [call.function for each in messages for call in each.tool_calls or ()]
        call = (calls[0].name, dict(calls[0].arguments)) if calls else None
        text = "".join(each.content or "" for each in messages)
        return Said(text, call, "".join(each.thinking or "" for each in messages))


CLIENTS: dict[str, Callable[[], Client]] = {
    "openai-chat": OpenAiChat,
    "openai-responses": OpenAiResponses,
    "anthropic": Anthropic,
    "gemini": Gemini,
    "bedrock": Bedrock,
    "ollama": Ollama,
}


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Client]:
    with mock(write_script(tmp_path)):
        yield CLIENTS[request.param]()


@pytest.mark.parametrize("way", ["ask", "stream"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hello, you", Said("Hi there!")),
        ("How is the weather?", Said("", ("get_weather", {"city": "Zurich"}))),
        ("Please think", Said("Done.", reasoning="Let me see.")),
    ],
    ids=["text", "call", "reasoning"],
)
def test_a_reply_reaches_the_client(client: Client, way: str, text: str, said: Said) -> None:
    assert getattr(client, way)(text) == said


def test_a_tool_result_leads_to_the_next_reply(client: Client) -> None:
    assert client.answer_tool("How is the weather?") == "21 degrees in Bern"


@pytest.mark.parametrize(
    ("make", "errors"),
    [
        (OpenAiChat, (openai.InternalServerError, openai.NotFoundError)),
        (OpenAiResponses, (openai.InternalServerError, openai.NotFoundError)),
        (Anthropic, (anthropic.APIStatusError, anthropic.NotFoundError)),
        (Gemini, (genai.errors.ServerError, genai.errors.ClientError)),
        (Ollama, (ollama.ResponseError, ollama.ResponseError)),
    ],
    ids=["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"],
)
def test_errors_are_the_clients_own(
    make: Callable[[], Client], errors: tuple[type[Exception], ...], tmp_path: Path
) -> None:
    overloaded, unknown = errors
    with mock(write_script(tmp_path)) as session:
        client = make()
        with pytest.raises(overloaded, match="overloaded"):
            client.ask("busy")
        with pytest.raises(unknown, match="no reply of the suite's models fits"):
            client.ask("Nothing is scripted for this")
    assert [each.miss.nearest for each in session.misses if each.miss] == [
        "models/assistant.yaml#/replies/0"
    ]


def test_bedrock_s_errors_have_their_names(tmp_path: Path) -> None:
    with mock(write_script(tmp_path, "replies: [{error: rate_limit}]")):
        client = Bedrock()
        client.client.meta.config.retries = {"total_max_attempts": 1}
        with pytest.raises(client.client.exceptions.ThrottlingException):
            client.ask("anything")


def test_a_client_that_waits_is_answered(tmp_path: Path) -> None:
    with mock(write_script(tmp_path)) as session:
        assert OpenAiChat().ask("limit").text == "Thanks for waiting."
    assert [each.status for each in session.requests] == [429, 200]


def test_a_refusal_a_limit_and_broken_arguments_reach_the_client(tmp_path: Path) -> None:
    with mock(write_script(tmp_path)):
        client = openai.OpenAI()

        def choice(text: str) -> Any:
            messages: Any = [{"role": "user", "content": text}]
            return client.chat.completions.create(model="gpt-5", messages=messages)

        assert choice("forbidden").choices[0].message.refusal == "I cannot help with that."
        long = choice("long")
        assert (long.choices[0].finish_reason, long.usage.total_tokens) == ("length", 16)
        [call] = choice("broken").choices[0].message.tool_calls
        assert call.function.arguments == '{"city": "Zur'
        incomplete = client.responses.create(model="gpt-5", input="long")
        assert (incomplete.status, incomplete.usage and incomplete.usage.output_tokens) == (
            "incomplete", 9,
        )  # fmt: skip


def test_a_stream_is_cut(tmp_path: Path) -> None:
    with mock(write_script(tmp_path)):
        messages: Any = [{"role": "user", "content": "cut"}]
        seen = []
        with pytest.raises(Exception, match=r"[Cc]onnection|peer|closed"):  # noqa: PT012
            for chunk in openai.OpenAI().chat.completions.create(
                model="gpt-5", messages=messages, stream=True
            ):
                seen.append(chunk.choices[0].delta.content)
        assert seen == ["", "one ", "two "]


def test_embeddings_are_the_same_every_time_and_near_for_like_texts(tmp_path: Path) -> None:
    with mock(write_script(tmp_path)):
        texts = ["rain in Spain", "rain in Spain falls", "quarterly report"]
        client = openai.OpenAI()
        found = client.embeddings.create(model="small", input=texts, dimensions=256)
        rain, falls, report = (each.embedding for each in found.data)
        assert len(rain) == 256
        near, far = (sum(a * b for a, b in zip(rain, other, strict=True))
                     for other in (falls, report))  # fmt: skip
        assert near > 0.7 > 0.3 > far
        [one] = ollama.Client().embed(model="small", input="rain in Spain").embeddings
        gemini = Gemini()
        contents: Any = ["rain in Spain"]
        made = gemini.client.models.embed_content(model="small", contents=contents)
        assert made.embeddings is not None
        assert made.embeddings[0].values == pytest.approx(list(one))
        body = json.dumps({"inputText": "rain in Spain"})
        answer = Bedrock().client.invoke_model(modelId="amazon.titan-embed-text-v2:0", body=body)
        assert json.loads(answer["body"].read())["embedding"] == pytest.approx(list(one))


def test_models_are_listed_and_tokens_counted(tmp_path: Path) -> None:
    script = 'model: [gpt-5, "claude-*"]\nreplies: [{text: Hi}]'
    with mock(write_script(tmp_path, script)):
        assert [each.id for each in openai.OpenAI().models.list()] == ["gpt-5"]
        assert openai.OpenAI().models.retrieve("gpt-5").id == "gpt-5"
        assert [each.id for each in anthropic.Anthropic().models.list()] == ["gpt-5"]
        messages: Any = [{"role": "user", "content": "x" * 40}]
        count = anthropic.Anthropic().messages.count_tokens(model="claude-x", messages=messages)
        assert count.input_tokens == 10
        gemini = Gemini()
        counted = gemini.client.models.count_tokens(model="gpt-5", contents="x" * 40)
        assert counted.total_tokens == 10
        assert gemini.client.models.get(model="gpt-5").name == "models/gpt-5"
        assert [each.name for each in gemini.client.models.list()] == ["models/gpt-5"]
        assert [each.model for each in ollama.Client().list().models] == ["gpt-5"]
        assert ollama.Client().generate(model="gpt-5", prompt="Say").response == "Hi"
        assert "tools" in (ollama.Client().show("gpt-5").capabilities or [])


def test_the_provider_s_own_host_is_answered(tmp_path: Path) -> None:
    with mock(write_script(tmp_path), environment=False) as session:
        client = openai.OpenAI(api_key="unused", base_url="https://api.openai.com/v1")
        messages: Any = [{"role": "user", "content": "hello"}]
        answer = client.chat.completions.create(model="gpt-5", messages=messages)
        assert answer.choices[0].message.content == "Hi there!"
    [request] = session.requests
    assert (request.method_id, request.host) == ("openai.chat.completions.create", "api.openai.com")


def test_openai_s_client_goes_on_from_a_stored_response(tmp_path: Path) -> None:
    script = "replies: [{text: \"{{ turn }} {{ messages | map(attribute='text') | join('|') }}\"}]"
    with mock(write_script(tmp_path, script)):
        client = openai.OpenAI(max_retries=0)
        first = client.responses.create(model="m", input="one")
        with client.responses.stream(
            model="m", input="two", previous_response_id=first.id
        ) as events:
            second = events.get_final_response()
        assert second.output_text == "1 one|0 one|two"
        assert client.responses.retrieve(second.id).output_text == second.output_text
        [item] = client.responses.input_items.list(second.id).data
        assert item.type == "message"
        client.responses.delete(first.id)
        with pytest.raises(openai.BadRequestError, match="Previous response with id"):
            client.responses.create(model="m", input="three", previous_response_id=first.id)
        with pytest.raises(openai.NotFoundError):
            client.responses.retrieve(first.id)
        talk = client.conversations.create(items=[{"role": "user", "content": "zero"}])
        client.responses.create(model="m", input="one", conversation=talk.id)
        last = client.responses.create(model="m", input="two", conversation=talk.id)
        assert last.output_text == "1 zero|one|0 zero|one|two"
        assert len(client.conversations.items.list(talk.id).data) == 5
