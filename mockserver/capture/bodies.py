"""Bodies in files of their own: written, redacted once more, restored, published."""

from dataclasses import replace
from pathlib import Path

from mockserver.capture.redaction_process import BodyRedaction, KeptBody
from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.body_files import (
    LARGEST_FILE,
    BodyFileError,
    BodyWriter,
    bodies_folder,
    files_of,
    open_body,
    publish_files,
    read_pieces,
)
from mockserver.cassettes.files.yaml_scalars import body_text
from mockserver.errors import FormatError
from mockserver.messages import header, with_header, without
from mockserver.model import (
    LARGEST_BYTES,
    BodyFile,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction import InteractionSanitizer
from mockserver.redaction.large_bodies import NotRedactableError
from mockserver.redaction.sanitizer import is_opaque

_OVERLAP = 4 * 1024
_UNMADE = (
    "content-md5", "x-goog-hash", "digest", "repr-digest", "content-digest",
    "x-amz-checksum-crc32", "x-amz-checksum-sha256",
)  # fmt: skip
"""Headers that tell what was in a body before it was redacted."""

Message = RecordedRequest | RecordedResponse


def messages_of(interaction: Interaction) -> tuple[tuple[str, Message], ...]:
    """Both messages of an interaction, each with what its body is called."""
    return ("request body", interaction.request), ("response body", interaction.response)


def with_message(interaction: Interaction, message: Message) -> Interaction:
    """An interaction with another request, or with another response."""
    if isinstance(message, RecordedRequest):
        return replace(interaction, request=message)
    return replace(interaction, response=message)


def with_body_file(interaction: Interaction, message: Message, body: KeptBody) -> Interaction:
    """An interaction with a body that is kept in a file.

    Args:
        interaction: With headers as they came.
        message: Its request, or its response.
        body: What is kept of the body.
    """
    headers = headers_for_body(message.headers, body)
    made = replace(message, headers=headers, body=b"", coding=body.coding, file=body.file)
    if isinstance(made, RecordedResponse):
        made = replace(made, chunks=())
    asked = tuple(question.as_json() for question in body.questions)
    known = (*interaction.review, *(each for each in asked if each not in interaction.review))
    return with_message(replace(interaction, review=known), made)


def headers_for_body(headers: tuple[Header, ...], body: KeptBody) -> tuple[Header, ...]:
    """Headers that describe a body as it is kept."""
    made = without(headers, ["content-encoding"]) if body.coding else headers
    made = without(made, _UNMADE) if body.changed else made
    if header(made, "content-length").strip().isdigit():
        made = with_header(made, "Content-Length", str(body.file.size))
    return made


def move_bodies_to_files(interaction: Interaction, folder: Path) -> Interaction:
    """A redacted interaction whose large bodies that are no text have files of their own.

    Args:
        interaction: Redacted.
        folder: `NAME.bodies`.

    Raises:
        MockServerError: Nothing can be written there.
    """
    for _, message in messages_of(interaction):
        if len(message.body) <= LARGEST_BYTES or body_text(message.body) is not None:
            continue
        writer = BodyWriter(folder)
        writer.write(message.body)
        made = replace(message, body=b"", file=writer.finish())
        interaction = with_message(interaction, made)
    return interaction


def is_clean_file(
    sanitizer: InteractionSanitizer, headers: tuple[Header, ...], file: BodyFile
) -> bool:
    """Whether nothing that was replaced up to now is left in a body's file.

    Raises:
        BodyFileError: It is not there, or has another content.
    """
    tail = b""
    opaque: bool | None = None
    for piece in read_pieces(open_body(file)):
        if opaque is None:
            opaque = is_opaque(headers, piece)
        window = tail + piece
        if sanitizer.knows(window) if opaque else not sanitizer.is_clean_text(window):
            return False
        tail = window[-_OVERLAP:]
    return True


def redact_body_files(
    interaction: Interaction, sanitizer: InteractionSanitizer, folder: Path
) -> Interaction:
    """An interaction whose files are redacted once more, with all that is known by now.

    Raises:
        NotRedactableError: One of them cannot be redacted fragment by fragment.
        MockServerError: A file is not what it was, or none can be written.
    """
    for part, message in messages_of(interaction):
        if message.file is None:
            continue
        work = BodyRedaction(sanitizer, message.headers, part, folder, LARGEST_FILE)
        for piece in read_pieces(open_body(message.file)):
            work.feed(piece)
        kept = work.end()
        if kept.file.digest == message.file.digest:
            continue
        interaction = with_body_file(interaction, message, kept._replace(coding=message.coding))
    return interaction


def redact_bodies_again(
    interaction: Interaction,
    sanitizer: InteractionSanitizer,
    folder: Path,
    dropped: dict[str, None],
    *,
    only_unclean: bool = False,
) -> Interaction | None:
    """A redacted interaction with its large bodies redacted once more, in files.

    Args:
        interaction: Its heads are redacted.
        sanitizer: What redacts.
        folder: Where the files are to be.
        dropped: It is added to, with the reason, when it is left out.
        only_unclean: Whether files stay as they are in which nothing is left that is known.

    Returns:
        None for one that is left out: a body cannot be redacted, or its file is not what it was.

    Raises:
        MockServerError: A file cannot be written.
    """
    try:
        clean = only_unclean and all(
            message.file is None or is_clean_file(sanitizer, message.headers, message.file)
            for _, message in messages_of(interaction)
        )
        made = interaction if clean else redact_body_files(interaction, sanitizer, folder)
        return move_bodies_to_files(made, folder)
    except NotRedactableError as error:
        why = error.reason
    except BodyFileError as error:
        why = error.message
    dropped[f"{interaction.request.method} {interaction.request.url}: {why}"] = None
    return None


def restore_body_files(
    interaction: Interaction, sanitizer: InteractionSanitizer, folder: Path
) -> Interaction:
    """An interaction in whose files values are put back.

    Raises:
        MockServerError: A file is not what it was, or none can be written.
    """
    for part, message in messages_of(interaction):
        if message.file is None:
            continue
        writer = BodyWriter(folder)
        held = b""
        for piece in read_pieces(open_body(message.file)):
            held += piece
            place = _safe_cut(sanitizer, held)
            writer.write(sanitizer.sanitize_fragment_again(held[:place], part))
            held = held[place:]
        writer.write(sanitizer.sanitize_fragment_again(held, part))
        kept = KeptBody(writer.finish(), "", changed=False, questions=(), secrets=())
        made = replace(message, headers=headers_for_body(message.headers, kept), file=kept.file)
        interaction = with_message(interaction, made)
    return interaction


def _safe_cut(sanitizer: InteractionSanitizer, buffer: bytes) -> int:
    """Where nothing is cut that is looked for."""
    place = len(buffer) - _OVERLAP
    while place > 0 and sanitizer.knows(buffer[max(0, place - _OVERLAP) : place + _OVERLAP]):
        place -= _OVERLAP
    return max(0, place)


def publish_bodies(cassette: Path) -> None:
    """Let everybody read the bodies of a cassette; delete those that nothing needs any more.

    Nothing is deleted where a cassette of that name cannot be read.
    """
    folder = bodies_folder(cassette)
    if not folder.is_dir():
        return
    needed: list[BodyFile] = []
    stem = folder.name.removesuffix(".bodies")
    for suffix in (".yaml", ".yml", ".json", ".review.yaml", ".recording.yaml"):
        path = folder.with_name(stem + suffix)
        if path.exists():
            try:
                needed += files_of(read_cassette(path).interactions)
            except FormatError:
                return
    publish_files(folder, needed)
