"""The one function on the road to disk, to the journal and to the matching of live requests."""

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
from mockserver.redaction import targets
from mockserver.redaction.bodies import Piece, moved, redacted_body
from mockserver.redaction.heads import fitted, redacted_header, redacted_headers
from mockserver.redaction.judging import Judge
from mockserver.redaction.noise import key_id
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.rules import RuleSet
from mockserver.redaction.seen import Secret, Seen, sealed_map, unsealed

_PASSES = 4
"""What is told in the last of them, by what was told in the one before, is rare."""


class Redactor:
    """Replaces secrets by pseudonyms; equal secrets by equal ones, wherever they stand.

    What it gives back stays as it is when it is redacted again. One redactor is for one thread.

    Args:
        rules: What is a secret.
        key: Makes the pseudonyms; with the same key they come out the same for ever.
    """

    def __init__(self, rules: RuleSet, key: bytes) -> None:
        self.rules = rules
        self.key_id = key_id(key)
        self._key = key
        self._judge = Judge(rules, Pseudonyms(key))

    @property
    def seen(self) -> Seen:
        """Everything that was replaced by this redactor."""
        return self._judge.seen

    def interaction(self, interaction: Interaction) -> Interaction:
        """An interaction redacted; what its response tells of is found in its request as well."""
        response = self.response(interaction.response)
        before = self.seen.changes
        request = self.request(interaction.request)
        if self.seen.changes > before:
            response = self.response(response)
        return replace(interaction, request=request, response=response)

    def interactions(self, interactions: Sequence[Interaction]) -> list[Interaction]:
        """Interactions redacted, with what any of them tells found in all, whatever their order."""
        for _ in range(_PASSES):
            before = self.seen.changes
            made = [self.interaction(each) for each in interactions]
            if self.seen.changes == before:
                return made
        return [self.interaction(each) for each in interactions]

    def request(self, request: RecordedRequest) -> RecordedRequest:
        """A request redacted, with a `Content-Length` that is right.

        Pseudonyms in its URL are remembered: a later request that has their raw values gets them,
        whether a field tells of those or not. So recorded requests go through here before live
        ones.
        """
        pieces = redacted_body(self._judge, request.headers, request.body)
        body = _joined(pieces)
        headers = redacted_headers(self._judge, request.headers)
        url = targets.target(self._judge, request.url)
        self._judge.recognised.record(url)
        return replace(
            request,
            url=url,
            headers=fitted(headers, request.body, body, request.coding),
            body=body,
        )

    def response(self, response: RecordedResponse) -> RecordedResponse:
        """A response redacted; its chunks end where they ended."""
        pieces = redacted_body(self._judge, response.headers, response.body)
        body = _joined(pieces)
        headers = redacted_headers(self._judge, response.headers)
        return replace(
            response,
            reason=self.text(response.reason) if response.reason else "",
            headers=fitted_response(headers, response, body),
            body=body,
            chunks=_moved(response, pieces),
        )

    def headers(self, headers: Iterable[Header]) -> tuple[Header, ...]:
        """Headers redacted, in order."""
        return redacted_headers(self._judge, tuple(headers))

    def header(self, name: str, value: str) -> str:
        """The value of one header redacted."""
        return redacted_header(self._judge, name, value)

    def target(self, url: str) -> str:
        """A URL, or a path with its query, redacted; scheme, host and port stay."""
        return targets.target(self._judge, url)

    def json(self, value: Json) -> Json:
        """A JSON value redacted: the same structure, the same types."""
        return self._judge.whole_json(value)

    def params(self, params: JsonObject) -> JsonObject:
        """Parameters of a call redacted; `key` is an API key here."""
        return {name: self._param(name, value) for name, value in params.items()}

    def text(self, text: str) -> str:
        """A text redacted: a line of a log, a message of an error."""
        return self._judge.with_learned(self._judge.text(text))

    def sibling(self) -> "Redactor":
        """Another one of the same rules and key, for another thread; it has seen nothing yet."""
        return Redactor(self.rules, self._key)

    @override
    def __reduce__(self) -> "tuple[type[Redactor], tuple[RuleSet, bytes]]":
        """What is handed to another process is a sibling."""
        return Redactor, (self.rules, self._key)

    def stand_in(self, kind: str, value: str) -> str:
        """The pseudonym of a secret that was found elsewhere; it is remembered as seen."""
        return self._judge.stand_in(kind, value)

    def pseudonym(self, kind: str, value: str) -> str:
        """What would stand for a value; it is not remembered."""
        return self._judge.pseudonyms.of(kind, value)

    def sealed(self, kind: str, value: str) -> str:
        """A value with its pseudonym, encrypted for the owner of the key."""
        made = self.pseudonym(kind, value)
        return sealed_map({made: (kind, value)}, self._key).decode()

    def unsealed(self, sealed: str) -> dict[str, Secret]:
        """What `sealed` has sealed, by pseudonym.

        Raises:
            ValueError: It was sealed with another key, or is damaged.
        """
        return unsealed(sealed.encode(), self._key)

    def _param(self, name: str, value: Json) -> Json:
        if isinstance(value, str):
            return targets.parameter(self._judge, name, value)
        made = self._judge.json({name: value})
        return next(iter(made.values())) if isinstance(made, dict) else made


def _joined(pieces: Iterable[Piece]) -> bytes:
    return b"".join(piece.new for piece in pieces)


def _moved(response: RecordedResponse, pieces: tuple[Piece, ...]) -> tuple[Chunk, ...]:
    if all(piece.old is piece.new or piece.old == piece.new for piece in pieces):
        return response.chunks
    return moved(response.chunks, pieces)


def fitted_response(
    headers: tuple[Header, ...], response: RecordedResponse, body: bytes
) -> tuple[Header, ...]:
    """Headers of a response whose body has changed: a length that is right, or wrong as before."""
    # a length that was not kept stays a lie by as much
    made = fitted(headers, response.body, body, response.coding)
    if response.ended == "complete" or response.coding:
        return made
    missing = len(body) - len(response.body)
    return tuple(
        (name, str(int(old) + missing)) if name.lower() == "content-length" and old.isdigit()
        else (name, new)
        for (name, new), old in zip(made, _old_values(made, response), strict=True)
    )  # fmt: skip


def _old_values(made: tuple[Header, ...], response: RecordedResponse) -> list[str]:
    lengths = iter([value for name, value in response.headers if name.lower() == "content-length"])
    return [next(lengths, new) if name.lower() == "content-length" else new for name, new in made]
