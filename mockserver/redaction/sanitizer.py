"""Makes interactions fit to be kept: redacts them, and searches the result for what is left.

A secret that the leak gate finds is replaced, and the search begins again until it finds nothing. A
text that only looks random may be a secret or an id: it is replaced, and becomes a question.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from typing_extensions import override

from mockserver.messages import header
from mockserver.model import Header, Interaction, JsonObject, RecordedResponse
from mockserver.redaction.bodies import Piece, move_chunks
from mockserver.redaction.encodings import Layer, find_texts, is_noise
from mockserver.redaction.headers import update_headers
from mockserver.redaction.known_secrets import Finding
from mockserver.redaction.leaks import (
    UNREAD,
    LeakGate,
    NotWritableError,
    Span,
    coding_of,
    replace_spans,
    replacement_spans,
)
from mockserver.redaction.pseudonyms import MAKERS
from mockserver.redaction.public_ids import shape_of_id
from mockserver.redaction.redactor import Redactor, update_response_headers
from mockserver.redaction.reserved_values import CREDENTIAL_KINDS
from mockserver.redaction.rule import normalised_name
from mockserver.redaction.seen_secrets import Secret
from mockserver.redaction.unknown_secrets import RANDOM

_ROUNDS = 8
"""How often what was replaced is looked through again."""

UNWRITABLE = "unwritable"
"""The kind of a question about a part that was replaced whole: what was found in it stands in
pieces that cannot be written again."""

LEAST_BYTES = 64 * 1024
"""Of smaller bodies everything is tried, whatever they are."""

_LEAST_RUN = 8
"""Characters; what is shorter stands in bytes by chance."""

_NAMES = 64
"""Characters of a field's name that are told; a longer one is no name."""


class Question(NamedTuple):
    """Something in an interaction that may be a secret, without its value.

    Attributes:
        part: `request URL`, `request header`, `request body`, `status`, `response header`,
            `response body`.
        kind: What the gate calls it: `random`, `unread`, `unwritable`.
        field: The normalised name of its field or header, or an empty string.
        shape: RE2: what ids of its kind look like; empty where it is no id.
        form: How it is coded there.
        sealed: The value with its pseudonym, encrypted with the redaction key, so that what turns
            out to be no secret can be put back; empty where nothing can.
    """

    part: str
    kind: str
    field: str
    shape: str
    form: str
    sealed: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What questions that are answered together have in common."""
        return self.kind, self.field, self.shape

    @override
    def __str__(self) -> str:
        named = f" {self.field!r}" if self.field else ""
        like = f", like {self.shape}" if self.shape else ""
        return f"{self.part}{named}: {self.kind} ({self.form}){like}"

    def as_json(self) -> JsonObject:
        """As a cassette keeps it."""
        return self._asdict()


def questions_of(interaction: Interaction) -> tuple[Question, ...]:
    """The questions that a kept interaction still has."""
    return tuple(
        Question(*(str(each.get(name, "")) for name in Question._fields))
        for each in interaction.review
    )


class InteractionSanitizer:
    """Makes interactions fit to be kept; one for one thread.

    Args:
        redactor: Replaces what its rules find, and makes the pseudonyms.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._gate = LeakGate(redactor.rules, stated=redactor.stated)
        self._learned = 0
        self._sealed: dict[str, str] = {}
        self._seen: LeakGate | None = None
        self._seen_count = 0

    def sanitize(self, interaction: Interaction) -> Interaction:
        """An interaction without secrets; its `review` lists what is in question about it."""
        asked, answered = interaction.request.body, interaction.response.body
        kept = (
            self._is_bytes(interaction.request.headers, asked),
            self._is_bytes(interaction.response.headers, answered),
        )
        if not any(kept):
            return self.sanitize_again(self._redactor.redact_interaction(interaction))
        # nobody could redact these, and all that would be tried takes seconds for each megabyte
        bare = replace(
            interaction,
            request=replace(interaction.request, body=b"" if kept[0] else asked),
            response=replace(
                interaction.response,
                body=b"" if kept[1] else answered,
                chunks=() if kept[1] else interaction.response.chunks,
            ),
        )
        made = self.sanitize_again(self._redactor.redact_interaction(bare))
        request, response = made.request, made.response
        if kept[0]:
            request = replace(request, body=asked)
        if kept[1]:
            response = replace(response, body=answered, chunks=interaction.response.chunks)
        return replace(made, request=request, response=response)

    def _is_bytes(self, headers: Iterable[tuple[str, str]], body: bytes) -> bool:
        """Whether a body is large, no text in any coding, and no text in it holds a secret."""
        if len(body) < LEAST_BYTES or not is_opaque(headers, body):
            return False
        self._learn()
        texts = b"\n".join([body[start:end] for start, end in find_texts(body)])
        told = (len(finding.text) >= _LEAST_RUN for _, finding in self._gate.findings(texts))
        return not any(told) and not self._gate.knows(body)

    def sanitize_again(self, interaction: Interaction) -> Interaction:
        """The same for one that was redacted before: with what was learned since."""
        self._learn()
        questions: list[Question] = []
        request, response = interaction.request, interaction.response
        scheme, url = _split(request.url)
        head = self._head("request", ["request URL"], [url], request.headers, questions)
        body = self._body("request body", request.headers, request.body, questions)[0]
        request = replace(
            request,
            url=scheme + head[0],
            headers=update_headers(_headers(head[1:]), request.body, body, request.coding),
            body=body,
        )
        head = self._head("response", ["status"], [response.reason], response.headers, questions)
        body, pieces = self._body("response body", response.headers, response.body, questions)
        made = replace(response, reason=head[0], headers=_headers(head[1:]))
        if body != response.body:
            made = replace(
                made,
                headers=update_response_headers(made.headers, response, body),
                body=body,
                chunks=move_chunks(response.chunks, pieces),
            )
        known = (*questions_of(interaction), *questions)
        review = tuple(each.as_json() for each in dict.fromkeys(known))
        return replace(interaction, request=request, response=made, review=review)

    def sanitize_fragment(
        self, headers: tuple[Header, ...], content: bytes, part: str, questions: list[Question]
    ) -> bytes:
        """A fragment of a body, fit to be kept; what is in question about it is added."""
        made = self._redactor.redact_response(
            RecordedResponse(200, headers=headers, body=content)
        ).body
        self._learn()
        return self._sanitize_content(made, part, questions)[0]

    def redact_certain_secrets(self, content: bytes, part: str) -> bytes:
        """A text without what is certainly secret; what only looks random stays."""
        made = self._redactor.redact_response(RecordedResponse(200, body=content)).body
        self._learn()
        found = (finding.kind for _, finding in self._gate.findings(made))
        if all(kind == RANDOM for kind in found):
            return made
        return self._sanitize_content(made, part, [])[0]

    def sanitize_fragment_again(self, content: bytes, part: str) -> bytes:
        """A fragment of a body that was redacted before, with what was learned since."""
        self._learn()
        return self._sanitize_content(content, part, [])[0]

    def preview(self, headers: tuple[Header, ...], content: bytes) -> bytes:
        """What the rules make of a fragment, before it is looked through."""
        return self._redactor.redact_response(
            RecordedResponse(200, headers=headers, body=content)
        ).body

    def knows(self, content: bytes) -> bool:
        """Whether a secret that was seen stands in bytes as they are."""
        self._learn()
        return self._gate.knows(content)

    def is_clean(self, interaction: Interaction) -> bool:
        """Whether nothing that was replaced up to now is left in an interaction."""
        request, response = interaction.request, interaction.response
        heads = [request.url, response.reason]
        heads += [f"{name}: {value}" for name, value in (*request.headers, *response.headers)]
        return (
            self.is_clean_text("\n".join(heads).encode("utf-8", "surrogateescape"))
            and self._is_clean_body(request.headers, request.body)
            and self._is_clean_body(response.headers, response.body)
        )

    def is_clean_text(self, content: bytes) -> bool:
        """Whether nothing that was replaced up to now is left in a text."""
        found = (finding.kind for _, finding in self._seen_gate().findings(content))
        return all(kind == UNREAD for kind in found)

    def _is_clean_body(self, headers: Iterable[tuple[str, str]], body: bytes) -> bool:
        if len(body) >= LEAST_BYTES and is_opaque(headers, body):
            return not self._seen_gate().knows(body)
        return not body or self.is_clean_text(body)

    def _seen_gate(self) -> LeakGate:
        """What knows all that was replaced up to now, and looks for nothing else."""
        seen = self._redactor.seen
        if self._seen is None or len(seen) > self._seen_count:
            self._seen = LeakGate(self._redactor.rules, unknown=False)
            self._seen.learn(seen.secrets())
            self._seen_count = len(seen)
        return self._seen

    def _learn(self) -> None:
        seen = self._redactor.seen
        if len(seen) > self._learned:
            self._gate.learn(seen.secrets(self._learned))
            self._learned = len(seen)

    def _head(
        self,
        side: str,
        parts: list[str],
        lines: list[str],
        headers: Iterable[tuple[str, str]],
        questions: list[Question],
    ) -> list[str]:
        """The lines of a head, each a part of its own."""
        lines = lines + [f"{name}: {value}" for name, value in headers]
        text = "\n".join(line.replace("\n", " ") for line in lines)
        content = text.encode("utf-8", "surrogateescape")
        if not content.strip():
            return lines
        asked: list[Question] = []
        made = self._sanitize_content(content, parts[0], asked)[0].decode(
            "utf-8", "surrogateescape"
        )
        found = made.split("\n")
        if len(found) != len(lines):  # the part was replaced whole
            found = [made, *(f"{line.partition(':')[0]}: {made}" for line in lines[1:])]
        questions += [
            each._replace(part=f"{side} header") if _is_header(each, lines) else each
            for each in asked
        ]
        return found

    def _body(
        self,
        part: str,
        headers: Iterable[tuple[str, str]],
        content: bytes,
        questions: list[Question],
    ) -> tuple[bytes, tuple[Piece, ...]]:
        if not content or self._is_bytes(headers, content):
            return content, ()
        return self._sanitize_content(content, part, questions)

    def _sanitize_content(
        self, content: bytes, part: str, questions: list[Question]
    ) -> tuple[bytes, tuple[Piece, ...]]:
        """A content without findings, and what became of its stretches in the last round."""
        whole = content
        pieces: tuple[Piece, ...] = ()
        rounds = 0
        while found := list(self._gate.findings(content)):
            rounds += 1
            certain = [each for each in found if each[1].kind != RANDOM]
            found = certain or found  # what is known may be all that looked random
            stuck = rounds > _ROUNDS or any(finding.kind == UNREAD for _, finding in found)
            try:
                spans = (
                    None if stuck else replacement_spans(self._replacements(found, part, questions))
                )
            except NotWritableError:
                spans = None
            if not spans:
                kind = UNREAD if any(each.kind == UNREAD for _, each in found) else UNWRITABLE
                questions.append(Question(part, kind, "", "", coding_of(*found[0])))
                stand_in = self._redactor.pseudonym("secret", whole.decode("latin-1"))
                return stand_in.encode(), (Piece(whole, stand_in.encode()),)
            changed = replace_spans(content, spans)
            pieces = _pieces(content, spans) if rounds == 1 else (Piece(whole, changed),)
            content = changed
            self._learn()
        return content, pieces

    def _replacements(
        self,
        found: Iterable[tuple[Layer, Finding]],
        part: str,
        questions: list[Question],
    ) -> Iterable[tuple[Layer, Finding, str]]:
        """What takes the place of each finding; the random ones become questions.

        Yields:
            Reading, finding, stand-in.
        """
        for layer, finding in found:
            text = finding.text.decode("utf-8", "replace")
            if finding.kind == RANDOM:
                field = finding.field if len(finding.field) <= _NAMES else ""
                sealed = self._sealed.get(text)
                if sealed is None:
                    sealed = self._sealed[text] = self._redactor.seal("token", text)
                form = coding_of(layer, finding)
                questions.append(Question(part, RANDOM, field, shape_of_id(text), form, sealed))
                yield layer, finding, self._redactor.pseudonym("token", text)
            else:
                yield layer, finding, self._stand_in(finding, text)

    def _stand_in(self, finding: Finding, text: str) -> str:
        if finding.value:
            return self._redactor.stand_in(finding.kind, finding.value)
        made = self._redactor.redact_text(text)
        if made != text:
            return made
        kind = finding.kind if finding.kind in MAKERS else "vendor_token"
        kind = "secret" if finding.kind in CREDENTIAL_KINDS and kind == "vendor_token" else kind
        return self._redactor.stand_in(kind, text)


class RestoringSanitizer(InteractionSanitizer):
    """Puts values back that were in question and turned out to be no secrets.

    Args:
        redactor: Of the key that they were sealed with.
        values: What to put back, by pseudonym.
    """

    def __init__(self, redactor: Redactor, values: Mapping[str, Secret]) -> None:
        super().__init__(redactor)
        self._values = values
        self._gate = LeakGate(redactor.rules, unknown=False)
        self._gate.learn(Secret(secret.kind, made) for made, secret in values.items())

    @override
    def _learn(self) -> None:
        """Nothing else is looked for."""

    @override
    def _stand_in(self, finding: Finding, text: str) -> str:
        return self._values[finding.value].value


def is_opaque(headers: Iterable[tuple[str, str]], body: bytes) -> bool:
    """Whether a body is bytes that say nothing to anybody who does not know their format.

    Args:
        headers: Those beside it.
        body: As it is without content coding.

    >>> is_opaque((), b"hello" * 99), is_opaque((), bytes(range(1, 256)) * 4)
    (False, True)
    """
    if _TEXT_TYPE.search(header(headers, "content-type")) or not is_noise(body):
        return False
    try:
        body.decode()
    except UnicodeDecodeError:
        return True
    return False


_TEXT_TYPE = re.compile(r"(?i)^text/|json|xml|charset|form|multipart|protobuf|grpc|javascript|yaml")


def _split(url: str) -> tuple[str, str]:
    """A URL's scheme and host, which stay, and the rest."""
    start = url.find("/", url.find("://") + 3) if "://" in url else 0
    return (url, "") if start < 0 else (url[:start], url[start:])


def _headers(lines: list[str]) -> tuple[tuple[str, str], ...]:
    pairs = (line.partition(": ") for line in lines)
    return tuple((name, value) for name, _, value in pairs)


def _is_header(question: Question, lines: list[str]) -> bool:
    return question.field in {normalised_name(line.partition(":")[0]) for line in lines[1:]}


def _pieces(content: bytes, spans: list[Span]) -> tuple[Piece, ...]:
    pieces, last = [], 0
    for start, end, new in spans:
        pieces += [Piece(content[last:start], content[last:start]), Piece(content[start:end], new)]
        last = end
    rest = content[last:]
    return (*pieces, Piece(rest, rest))
