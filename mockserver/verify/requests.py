"""Recorded requests as they are sent again: with what stands for the names that were made."""

from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import orjson

from mockserver.messages import read_json
from mockserver.model import Json, RecordedRequest
from mockserver.verify.comparison import Answer
from mockserver.verify.placeholders import created_name
from mockserver.verify.values import Translation

_OPAQUE_HEADERS = frozenset({"if-match", "if-none-match"})


def translated_request(asked: RecordedRequest, translation: Translation) -> RecordedRequest:
    """A recorded request as whoever is asked now is to get it."""
    url, place = urlsplit(asked.url), resource_place(asked.url)
    translation.hear(unquote(url.path))
    pairs = parse_qsl(url.query, keep_blank_values=True)
    translation.hear(*(value for _, value in pairs))
    own = [(name, translation.field(name, value, place)) for name, value in pairs]
    query = url.query if own == pairs else "&".join(
        f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in own)  # fmt: skip
    body = asked.body
    if body:
        value, is_json = read_json(body)
        if is_json:
            translation.hear_value(value)
            changed = translation.value(value, place)
            body = body if changed == value else orjson.dumps(changed)
        else:
            with suppress(UnicodeDecodeError):
                text = body.decode()
                translation.hear(text)
                body = translation.text(text).encode()
    headers = tuple((name, translation.opaque(value) if name.lower() in _OPAQUE_HEADERS else value)
                    for name, value in asked.headers)  # fmt: skip
    target = url._replace(path=translation.path(url.path), query=query).geturl()
    return RecordedRequest(asked.method, target, headers, body)


def learn_created(
    sent: RecordedRequest, recorded: Answer, given: Answer, translation: Translation
) -> None:
    """Learn what a creation named: by the request, and by the ids in both answers.

    Args:
        sent: The request.
        recorded: The recorded answer.
        given: The given one.
        translation: What learns.
    """
    if sent.method != "POST" or given.status >= 300:
        return
    collection, chosen = created_name(sent)
    if chosen:
        translation.created(collection, chosen)
    old, new = (read_json(each.body)[0] for each in (recorded, given))
    for ours, theirs in zip(_ids(old), _ids(new), strict=False):
        translation.stand_below(collection, ours, theirs)


def _ids(answer: Json) -> Iterator[str]:
    """The id of a row that an answer is, or that it has in one of its fields.

    Yields:
        At most one.
    """
    rows = [answer, *answer.values()] if isinstance(answer, dict) else []
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("id"), str | int):
            yield str(row["id"])
            return


def resource_place(url: str) -> str:
    """The path of the resource that a request is about, without what is done with it."""
    above, _, last = urlsplit(url).path.rpartition("/")
    name, _, _ = last.partition(":")
    return above if name in {"getIamPolicy", "setIamPolicy", "iam"} else f"{above}/{name}"
