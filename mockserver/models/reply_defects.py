"""What makes the answer of a model useless as a recording: its key, its form, its end."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import orjson

from mockserver.messages import header, split_url
from mockserver.model import JsonObject, RecordedRequest, RecordedResponse
from mockserver.models.calls import find_call
from mockserver.models.messages import objects
from mockserver.models.providers import PROVIDERS
from mockserver.models.received_replies import form_of, reply_values

_UNAUTHORIZED = 401
_ERRORS = 400
_KEY_PROBLEMS = (
    "API_KEY_INVALID", "ExpiredToken", "UnrecognizedClientException", "InvalidSignatureException",
    "IncompleteSignature",
)  # fmt: skip
"""What answers of Gemini (400) and Bedrock (403) name that refuse a key, not what it may do."""

_OPERATIONS: Mapping[str, str] = {
    "chat completions": "openai.chat.completions.create",
    "responses": "openai.responses.create",
    "messages": "anthropic.messages.create",
    "generate content": "gemini.models.generateContent",
    "converse": "bedrock.converse",
    "ollama": "ollama.chat",
}
"""The operation that is answered in each form; of Ollama and Gemini one of two."""

_SAME_FORM: Mapping[str, str] = {
    "gemini.models.streamGenerateContent": "gemini.models.generateContent",
    "bedrock.converseStream": "bedrock.converse",
    "ollama.generate": "ollama.chat",
}

_LAST_EVENTS = frozenset({
    "response.completed", "response.incomplete", "response.failed", "message_stop", "error",
})  # fmt: skip
_CAN_BE_CUT = frozenset(_OPERATIONS.values()) - {"bedrock.converse"}
"""Operations whose streams are texts."""


class ReplyDefect(NamedTuple):
    """Why an answer of a model is no good recording.

    Attributes:
        kind: `key` where the key was refused, `form` where the answer is in another operation's
            form, `cut` where a stream has no end.
        reason: The same for people; nothing of the answer is in it.
    """

    kind: Literal["key", "form", "cut"]
    reason: str


def find_defect(request: RecordedRequest, response: RecordedResponse) -> ReplyDefect | None:
    """What is wrong with an answer to a call of a model; None for any other request.

    Args:
        request: Its body without content coding.
        response: Likewise.
    """
    url = split_url(request.url)
    try:
        body = orjson.loads(request.body)
    except orjson.JSONDecodeError:
        return None
    call = find_call(request.method.upper(), url.host.lower(), url.path.rstrip("/"), body)
    if call is None:
        return None
    if _refuses_key(response):
        names = next(each.keys for each in PROVIDERS if each.name == call.provider)
        variables = f"; set {' and '.join(names)} to a valid one" if names else ""
        reason = f"the model refused the key with status {response.status}{variables}"
        return ReplyDefect("key", reason)
    if response.status >= _ERRORS:
        return None
    content = response.body.decode("utf-8", "replace")
    asked = _SAME_FORM.get(call.operation, call.operation)
    form = form_of(content)
    if form is not None and asked in _OPERATIONS.values() and _OPERATIONS[form] != asked:
        reason = f"{call.operation} was asked for, and the answer has the form of {form}"
        return ReplyDefect("form", f"{reason}; does the base URL belong to another provider?")
    is_whole = response.ended == "complete" or (asked in _CAN_BE_CUT and _has_end(asked, content))
    if not is_whole or (asked in _CAN_BE_CUT and _is_cut(asked, content)):
        return ReplyDefect("cut", "the reply of the model breaks off before its end")
    return None


def _refuses_key(response: RecordedResponse) -> bool:
    if response.status == _UNAUTHORIZED:
        return True
    if response.status not in {400, 403}:
        return False
    said = response.body.decode("utf-8", "replace") + header(response.headers, "x-amzn-errortype")
    return any(each in said for each in _KEY_PROBLEMS)


def _has_end(operation: str, content: str) -> bool:
    """Whether a stream says that it is over; clients often leave then, before it is closed."""
    text = content.strip()
    if text.startswith(("{", "[")) and operation != "ollama.chat":
        return False
    if operation == "openai.chat.completions.create":
        return "[DONE]" in text
    return any(_is_last(event) for event in reply_values(text))


def _is_cut(operation: str, content: str) -> bool:
    """Whether what is a stream of events or of lines lacks its last one."""
    text = content.strip()
    if operation != "ollama.chat" and text.startswith(("{", "[")):
        return False  # in one piece
    return "[DONE]" not in text and not any(_is_last(event) for event in reply_values(text))


def _is_last(event: JsonObject) -> bool:
    if event.get("type") in _LAST_EVENTS or event.get("done") is True:
        return True
    if event.get("error") or event.get("promptFeedback"):
        return True
    ended = (*objects(event.get("choices")), *objects(event.get("candidates")))
    return any(each.get("finish_reason") or each.get("finishReason") for each in ended)
