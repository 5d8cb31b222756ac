"""MIME messages as Gmail shows them: headers, parts, snippet."""

import binascii
from base64 import b64decode, urlsafe_b64encode
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject

_SNIPPET = 200
_ADDRESSED = ("To", "Cc", "Bcc")


def parsed(text: str) -> tuple[bytes, EmailMessage]:
    """A message in base64, of either alphabet, with or without padding: its bytes, and read.

    Raises:
        binascii.Error: Not base64.
    """
    padded = text.replace("-", "+").replace("_", "/").rstrip("=")
    content = b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    return content, message_from_bytes(content, policy=policy.default)


def read_raw(text: str, *, addressed: bool = True) -> tuple[bytes, EmailMessage]:
    """A message from the `raw` field of a request.

    Args:
        text: The field.
        addressed: Whether a message to nobody is refused.

    Raises:
        ApiError: 400: not base64, or a message to nobody.
    """
    try:
        content, message = parsed(text)
    except binascii.Error as error:
        raise _invalid("Invalid value for ByteString: raw") from error
    if addressed and not any(message[name] for name in _ADDRESSED):
        raise _invalid("Recipient address required")
    return content, message


def _invalid(text: str) -> ApiError:
    return ApiError(
        400, text, reason="invalidArgument", domain="global", code_name="INVALID_ARGUMENT"
    )


def encoded(content: bytes) -> str:
    """Bytes as Gmail writes them: base64 with the URL alphabet."""
    return urlsafe_b64encode(content).decode()


def payload(message: EmailMessage, number: str = "") -> JsonObject:
    """A message or part as the API's `MessagePart`."""
    made: JsonObject = {
        "partId": number,
        "mimeType": message.get_content_type(),
        "filename": message.get_filename() or "",
        "headers": [{"name": name, "value": str(value)} for name, value in message.items()],
    }
    if message.is_multipart():
        prefix = f"{number}." if number else ""
        parts = cast("list[EmailMessage]", message.get_payload())
        made["body"] = {"size": 0}
        made["parts"] = [payload(part, f"{prefix}{index}") for index, part in enumerate(parts)]
    else:
        content = cast(bytes, message.get_payload(decode=True)) or b""
        made["body"] = {"size": len(content), "data": encoded(content)}
    return made


def snippet(message: EmailMessage) -> str:
    """The first words of the text of a message."""
    part = message.get_body(preferencelist=("plain", "html"))
    text = str(part.get_content()) if part is not None else ""
    return " ".join(text.split())[:_SNIPPET]
