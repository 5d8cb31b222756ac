"""Answers that are made up of what an OpenAPI document says of them, always the same."""

import re
from collections.abc import Iterator, Mapping

from mockserver.declared.calls import Answer
from mockserver.declared.documents import words
from mockserver.declared.documents.document import NO_RESPONSE, DocumentedOperation, Response
from mockserver.declared.documents.schemas import sample_value
from mockserver.declared.keywords import as_object
from mockserver.model import Json, JsonObject

_SECRET = frozenset({"token", "access_token", "api_key", "apikey", "key", "password", "secret"})
_INTEGER = re.compile(r"-?\d{1,18}")
_FURTHER = frozenset((*words.NEXT_TOKENS, *words.NEXT_URLS))


class AnswerTemplate:
    """What one operation answers: as in a success, else what the document calls the default.

    Args:
        operation: The operation.
    """

    def __init__(self, operation: DocumentedOperation) -> None:
        self._operation = operation
        response = operation.success
        if response is NO_RESPONSE:
            others = (each for each in operation.responses if each.status == "default")
            response = next(others, NO_RESPONSE)
        self.reason = _reason(response)
        """Why nothing can be made up, or an empty string."""
        status = int(response.status) if response.status.isdecimal() else 0
        self._answer = Answer(None, status or 204)
        if self.reason or not (response.schema or response.examples):
            return
        shown = response.examples[0] if response.examples else sample_value(response.schema)
        if _is_json(response.content_type):
            body = _without_further_pages(shown)
            self._answer = Answer(body, status or (204 if body is None else 200))
        else:
            content = shown.encode() if isinstance(shown, str) else b""
            self._answer = Answer(status=status or 200, content=content,
                                  content_type=response.content_type)  # fmt: skip

    def fill(self, sent: Mapping[str, Json]) -> Answer:
        """The answer to a request.

        A field of the answer has the value that the request sends under its name, if it is of the
        same kind; the last placeholder of the path, `petId`, is also what `id` means.

        Args:
            sent: Parameters and fields of the body by name.
        """
        body = self._answer.payload
        if not isinstance(body, dict):
            return self._answer
        return Answer({**body, **dict(self._same_fields(body, sent))}, self._answer.status)

    def _same_fields(
        self, body: JsonObject, sent: Mapping[str, Json]
    ) -> Iterator[tuple[str, Json]]:
        last = self._operation.path.rstrip("/").rpartition("/")[2]
        for name, value in sent.items():
            field = words.field_for(name, body)
            if not field and last == f"{{{name}}}" and words.words_of(name)[-1:] == ("id",):
                field = words.field_for("id", body)
            same: Json = _as_kind_of(body[field], value) if field else None
            if same is not None and name.lower() not in _SECRET:
                yield field, same


def _reason(response: Response) -> str:
    """Why no answer can be made up, or an empty string."""
    if response is NO_RESPONSE:
        return "the document has no answer of a success for it"
    kind = response.content_type
    if not (response.schema or response.examples) or _is_json(kind):
        return ""
    is_text = any(isinstance(each, str) for each in response.examples[:1])
    if is_text or (not response.examples and response.schema.kind == "string"):
        return ""
    return f"it answers {kind} alone, of which the document shows no example"


def _is_json(content_type: str) -> bool:
    return not content_type or "json" in content_type or "*" in content_type


def _without_further_pages(body: Json) -> Json:
    """An answer after which there are no further pages: who follows them comes to an end."""
    if not isinstance(body, dict):
        return body
    inner = {name: _last_page(as_object(body[name])) for name in words.ENVELOPES
             if isinstance(body.get(name), dict)}  # fmt: skip
    return _last_page({**body, **inner})


def _last_page(fields: JsonObject) -> JsonObject:
    return {
        name: "" if name in _FURTHER and isinstance(value, str)
        else False if name in words.HAS_MORE else value
        for name, value in fields.items()
    }  # fmt: skip


def _as_kind_of(shown: Json, sent: Json) -> Json:
    """What was sent where it is of the kind of JSON that is shown; else None."""
    if isinstance(shown, int | float) and not isinstance(shown, bool):
        if isinstance(sent, str) and _INTEGER.fullmatch(sent):
            return int(sent)
        return sent if isinstance(sent, int | float) and not isinstance(sent, bool) else None
    return sent if type(shown) is type(sent) else None
