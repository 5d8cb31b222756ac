"""Messages in MIME: read from base64, shown as parts, and written from parts."""

import binascii
import re
from base64 import b64decode, urlsafe_b64encode
from email import message_from_bytes, policy
from email.header import Header
from email.message import EmailMessage
from email.utils import getaddresses
from html import unescape
from typing import cast

from mockserver.apis.gmail.search import header_values
from mockserver.model import JsonObject

_SNIPPET_LENGTH = 200
_MARKUP = re.compile(r"<(style|script)\b[^>]*>[^<]*</\1>|<[^>]*>", re.IGNORECASE)
_OF_BODY = frozenset({"content-type", "content-transfer-encoding", "mime-version"})


def decode_base64(text: str) -> bytes:
    """The bytes of base64 of either alphabet, with or without padding; raises binascii.Error."""
    padded = text.replace("-", "+").replace("_", "/").rstrip("=")
    return b64decode(padded + "=" * (-len(padded) % 4), validate=True)


def encode_base64url(content: bytes) -> str:
    """Bytes as Gmail writes them: base64 with the URL alphabet."""
    return urlsafe_b64encode(content).decode()


def message_part(message: EmailMessage, number: str = "") -> JsonObject:
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
        made["parts"] = [message_part(part, f"{prefix}{index}") for index, part in enumerate(parts)]
    else:
        content = cast(bytes, message.get_payload(decode=True)) or b""
        made["body"] = {"size": len(content), "data": encode_base64url(content)}
    return made


def snippet(message: EmailMessage) -> str:
    """The first words of the text of a message."""
    part = message.get_body(preferencelist=("plain", "html"))
    text = str(part.get_content()) if part is not None else ""
    if part is not None and part.get_content_type() == "text/html":
        text = unescape(_MARKUP.sub(" ", text))
    return " ".join(text.split())[:_SNIPPET_LENGTH]


def message_fields(content: bytes) -> JsonObject:
    """What a message in MIME tells of the API's `Message`."""
    message = message_from_bytes(content, policy=policy.default)
    return {
        "snippet": snippet(message),
        "sizeEstimate": len(content),
        "payload": message_part(message),
        "raw": encode_base64url(content),
    }


def with_headers(content: bytes, headers: JsonObject) -> bytes:
    """A message in MIME with more headers before those that it has."""
    end = b"\r\n" if b"\r\n" in content else b"\n"
    added = (f"{name}: {value}".encode() + end for name, value in headers.items())
    return b"".join(added) + content


def without_header(content: bytes, name: str) -> bytes:
    """A message in MIME without a header."""
    message = message_from_bytes(content, policy=policy.SMTP)
    if name not in message:
        return content
    del message[name]
    return message.as_bytes()


def mime_of(part: JsonObject) -> bytes:
    """A message in MIME, of the parts that the API has of it."""
    lines, body = _mime_of_part(part, "part"), part.get("body") or {}
    return lines if body or part.get("parts") or part.get("headers") else b""


def _mime_of_part(part: JsonObject, boundary: str) -> bytes:
    headers = [each for each in part.get("headers") or () if isinstance(each, dict)]
    lines = [
        f"{each.get('name')}: {_header_text(str(each.get('value', '')))}"
        for each in headers
        if str(each.get("name")).casefold() not in _OF_BODY
    ]
    kind = str(part.get("mimeType") or "text/plain")
    parts = [each for each in part.get("parts") or () if isinstance(each, dict)]
    if parts:
        lines += ["MIME-Version: 1.0", f'Content-Type: {kind}; boundary="{boundary}"']
        inner = [
            f"--{boundary}\r\n".encode() + _mime_of_part(each, f"{boundary}.{number}") + b"\r\n"
            for number, each in enumerate(parts)
        ]
        body = b"".join(inner) + f"--{boundary}--\r\n".encode()
    else:
        name = str(part.get("filename") or "").replace('"', "")
        charset = "; charset=utf-8" if kind.startswith("text/") else ""
        lines += ["MIME-Version: 1.0", f"Content-Type: {kind}{charset}"]
        lines += [f'Content-Disposition: attachment; filename="{name}"'] if name else []
        lines.append("Content-Transfer-Encoding: base64")
        try:
            content = decode_base64(str((part.get("body") or {}).get("data") or ""))
        except binascii.Error:
            content = b""
        body = binascii.b2a_base64(content) if content else b""
    return "\r\n".join([*dict.fromkeys(lines), "", ""]).encode() + body


def _header_text(value: str) -> str:
    return value if value.isascii() else Header(value, "utf-8").encode()


def addresses_of(row: JsonObject, *names: str) -> list[str]:
    """The addresses in headers of a message, in lower case, each once."""
    found = getaddresses(header_values(row, names))
    return list(dict.fromkeys(address.casefold() for _, address in found if address))


def message_ids(row: JsonObject, *names: str) -> list[str]:
    """The ids of messages that headers of a message name."""
    texts = " ".join(header_values(row, names)).split()
    return [each.strip("<>,") for each in texts if each.strip("<>,")]


def plain_subject(row: JsonObject) -> str:
    """The subject of a message without the signs of replies, in lower case."""
    text = " ".join(header_values(row, ("subject",))).strip().casefold()
    while (start := text.partition(":"))[1] and start[0].strip() in {"re", "fw", "fwd", "aw"}:
        text = start[2].strip()
    return text
