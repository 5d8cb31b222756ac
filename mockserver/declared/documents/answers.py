"""Answers that are made up of what an OpenAPI document says of them, always the same."""

import re
from collections.abc import Iterator, Mapping

from mockserver.declared.calls import Answer
from mockserver.declared.documents import words
from mockserver.declared.documents.document import DocumentedOperation, OpenApiDocument, Response
from mockserver.declared.documents.references import as_object
from mockserver.declared.documents.schemas import sample_value, type_of
from mockserver.model import Json, JsonObject

_SECRET = frozenset({"token", "access_token", "api_key", "apikey", "key", "password", "secret"})
_INTEGER = re.compile(r"-?\d{1,18}")
_FURTHER = frozenset((*words.NEXT_TOKENS, *words.NEXT_URLS))


class AnswerTemplate:
    """What one operation answers.

    Args:
        document: The document.
        operation: The operation.
    """

    def __init__(self, document: OpenApiDocument, operation: DocumentedOperation) -> None:
        self._operation = operation
        self._response = _response_of(operation)
        self.reason = _reason(document, self._response)
        """Why nothing can be made up, or an empty string."""
        self._content: bytes | None = None
        self._body: Json = None
        response = self._response
        if response is None or self.reason or not (response.schema or response.examples):
            return
        shown = list(response.examples[:1]) or [sample_value(document, response.schema)]
        if _is_json(response.content_type):
            self._body = _without_further_pages(shown[0])
        else:
            self._content = shown[0].encode() if isinstance(shown[0], str) else b""

    def fill(self, sent: Mapping[str, Json]) -> Answer:
        """The answer to a request.

        A field of the answer has the value that the request sends under its name, if it is of the
        same kind; the last placeholder of the path, `petId`, is also what `id` means.

        Args:
            sent: Parameters and fields of the body by name.
        """
        response = self._response
        status = int(response.status) if response is not None and response.status.isdecimal() else 0
        if self._content is not None and response is not None:
            return Answer(status=status or 200, content=self._content,
                          content_type=response.content_type)  # fmt: skip
        body = self._body
        if isinstance(body, dict):
            body = {**body, **dict(self._same_fields(body, sent))}
        if body is None and not status:
            status = 204
        return Answer(body, status or 200)

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


def _response_of(operation: DocumentedOperation) -> Response | None:
    """The answer of a success; what the document calls the default where it has no other."""
    default = next((each for each in operation.responses if each.status == "default"), None)
    return operation.success or default


def _reason(document: OpenApiDocument, response: Response | None) -> str:
    """Why no answer can be made up, or an empty string."""
    if response is None:
        return "the document has no answer of a success for it"
    kind = response.content_type
    if not (response.schema or response.examples) or _is_json(kind):
        return ""
    is_text = any(isinstance(each, str) for each in response.examples[:1])
    if is_text or (not response.examples and type_of(document, response.schema) == "string"):
        return ""
    return f"it answers {kind} alone, of which the document shows no example"


def _is_json(content_type: str) -> bool:
    return not content_type or "json" in content_type or "*" in content_type


def _without_further_pages(body: Json) -> Json:
    """An answer after which there are no further pages: who follows them comes to an end."""
    if not isinstance(body, dict):
        return body
    made: JsonObject = {}
    for name, value in body.items():
        if name in words.ENVELOPES:
            made[name] = {**_last_page(as_object(value))} if isinstance(value, dict) else value
        else:
            made[name] = value
    return _last_page(made)


def _last_page(fields: JsonObject) -> JsonObject:
    made: JsonObject = {}
    for name, value in fields.items():
        if name in _FURTHER and isinstance(value, str):
            made[name] = ""
        elif name in words.HAS_MORE:
            made[name] = False
        else:
            made[name] = value
    return made


def _as_kind_of(shown: Json, sent: Json) -> Json:
    """What was sent where it is of the kind of JSON that is shown; else None."""
    if isinstance(shown, bool) or isinstance(sent, bool):
        return sent if isinstance(shown, bool) and isinstance(sent, bool) else None
    if isinstance(shown, int | float):
        if isinstance(sent, str) and _INTEGER.fullmatch(sent):
            return int(sent)
        return sent if isinstance(sent, int | float) else None
    return sent if type(shown) is type(sent) else None
