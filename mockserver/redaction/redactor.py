"""Redacts messages: interactions, requests, responses, URLs, headers, parameters and texts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from typing_extensions import override

from mockserver.model import (
    Chunk,
    Header,
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction.bodies import Piece, move_chunks, redact_body
from mockserver.redaction.headers import (
    redact_header,
    redact_headers,
    redact_parameter,
    redact_url,
    update_headers,
)
from mockserver.redaction.pseudonyms import Pseudonyms, key_id
from mockserver.redaction.rules import RuleSet
from mockserver.redaction.seen_secrets import Secret, SeenSecrets, seal_secrets, unseal_secrets
from mockserver.redaction.stated_values import StatedValues
from mockserver.redaction.value_redactor import ValueRedactor

_PASSES = 4
"""What is told in the last of them, by what was told in the one before, is rare."""


class Redactor:
    """Replaces secrets by pseudonyms; equal secrets by equal ones, wherever they stand.

    What it gives back stays as it is when it is redacted again. One redactor is for one thread.

    Args:
        rules: What is a secret.
        key: Makes the pseudonyms; with the same key they come out the same for ever.
        stated: What stays in clear unless it opens something: names, addresses, ids that files
            beside the recording state.

    Attributes:
        stated: As given.
    """

    def __init__(self, rules: RuleSet, key: bytes, stated: StatedValues | None = None) -> None:
        self.rules = rules
        self.stated = stated or StatedValues()
        self.key_id = key_id(key)
        self._key = key
        self._values = ValueRedactor(rules, Pseudonyms(key), self.stated)

    @property
    def seen(self) -> SeenSecrets:
        """Everything that was replaced by this redactor."""
        return self._values.seen

    def redact_interaction(self, interaction: Interaction) -> Interaction:
        """An interaction redacted; what its response tells of is found in its request as well."""
        response = self.redact_response(interaction.response)
        before = self.seen.changes
        request = self.redact_request(interaction.request)
        if self.seen.changes > before:
            response = self.redact_response(response)
        return replace(interaction, request=request, response=response)

    def redact_interactions(self, interactions: Sequence[Interaction]) -> list[Interaction]:
        """Interactions redacted, with what any of them tells found in all, whatever their order."""
        for _ in range(_PASSES):
            before = self.seen.changes
            made = [self.redact_interaction(each) for each in interactions]
            if self.seen.changes == before:
                return made
        return [self.redact_interaction(each) for each in interactions]

    def redact_request(self, request: RecordedRequest) -> RecordedRequest:
        """A request redacted, with a `Content-Length` that is right.

        Pseudonyms in its URL are remembered: a later request that has their raw values gets them,
        whether a field tells of those or not. So recorded requests go through here before live
        ones.
        """
        pieces = redact_body(self._values, request.headers, request.body)
        body = _join(pieces)
        headers = redact_headers(self._values, request.headers)
        url = redact_url(self._values, request.url)
        self._values.recognised.record(url)
        return replace(
            request,
            url=url,
            headers=update_headers(headers, request.body, body, request.coding),
            body=body,
        )

    def redact_response(self, response: RecordedResponse) -> RecordedResponse:
        """A response redacted; its chunks end where they ended."""
        pieces = redact_body(self._values, response.headers, response.body)
        body = _join(pieces)
        headers = redact_headers(self._values, response.headers)
        return replace(
            response,
            reason=self.redact_text(response.reason) if response.reason else "",
            headers=update_response_headers(headers, response, body),
            body=body,
            chunks=_move_chunks(response, pieces),
        )

    def redact_headers(self, headers: Iterable[Header]) -> tuple[Header, ...]:
        """Headers redacted, in order."""
        return redact_headers(self._values, tuple(headers))

    def redact_header(self, name: str, value: str) -> str:
        """The value of one header redacted."""
        return redact_header(self._values, name, value)

    def redact_target(self, url: str) -> str:
        """A URL, or a path with its query, redacted; scheme, host and port stay."""
        return redact_url(self._values, url)

    def redact_json(self, value: Json) -> Json:
        """A JSON value redacted: the same structure, the same types."""
        return self._values.redact_whole_json(value)

    def redact_params(self, params: JsonObject) -> JsonObject:
        """Parameters of a call redacted; `key` is an API key here."""
        return {name: self._param(name, value) for name, value in params.items()}

    def redact_text(self, text: str) -> str:
        """A text redacted: a line of a log, a message of an error."""
        return self._values.replace_learned(self._values.redact_text(text))

    def new_instance(self) -> "Redactor":
        """Another one of the same rules and key, for another thread; it has seen nothing yet."""
        return Redactor(self.rules, self._key, self.stated)

    @override
    def __reduce__(self) -> "tuple[type[Redactor], tuple[RuleSet, bytes, StatedValues]]":
        """What is handed to another process is a sibling."""
        return Redactor, (self.rules, self._key, self.stated)

    def stand_in(self, kind: str, value: str) -> str:
        """The pseudonym of a secret that was found elsewhere; it is remembered as seen."""
        return self._values.stand_in(kind, value)

    def pseudonym(self, kind: str, value: str) -> str:
        """What would stand for a value; it is not remembered."""
        return self._values.pseudonyms.of(kind, value)

    def seal(self, kind: str, value: str) -> str:
        """A value with its pseudonym, encrypted for the owner of the key."""
        made = self.pseudonym(kind, value)
        return seal_secrets({made: (kind, value)}, self._key).decode()

    def unseal(self, sealed: str) -> dict[str, Secret]:
        """What `seal` has sealed, by pseudonym.

        Raises:
            ValueError: It was sealed with another key, or is damaged.
        """
        return unseal_secrets(sealed.encode(), self._key)

    def _param(self, name: str, value: Json) -> Json:
        if isinstance(value, str):
            return redact_parameter(self._values, name, value)
        made = self._values.redact_json({name: value})
        return next(iter(made.values())) if isinstance(made, dict) else made


def _join(pieces: Iterable[Piece]) -> bytes:
    return b"".join(piece.new for piece in pieces)


def _move_chunks(response: RecordedResponse, pieces: tuple[Piece, ...]) -> tuple[Chunk, ...]:
    if all(piece.old is piece.new or piece.old == piece.new for piece in pieces):
        return response.chunks
    return move_chunks(response.chunks, pieces)


def update_response_headers(
    headers: tuple[Header, ...], response: RecordedResponse, body: bytes
) -> tuple[Header, ...]:
    """Headers of a response whose body has changed: a length that is right, or wrong as before."""
    # a length that was not kept stays a lie by as much
    made = update_headers(headers, response.body, body, response.coding)
    if response.ended == "complete" or response.coding:
        return made
    missing = len(body) - len(response.body)
    return tuple(
        (name, str(int(old) + missing)) if name.lower() == "content-length" and old.isdigit()
        else (name, new)
        for (name, new), old in zip(made, _old_values(made, response), strict=True)
    )  # fmt: skip


def _old_values(headers: tuple[Header, ...], response: RecordedResponse) -> list[str]:
    lengths = iter([value for name, value in response.headers if name.lower() == "content-length"])
    return [
        next(lengths, new) if name.lower() == "content-length" else new for name, new in headers
    ]
