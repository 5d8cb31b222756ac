"""Postman collections: the responses that were saved as examples."""

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import orjson

from mockserver.model import (
    Header,
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage.cassettes.foreign.imported import Imported, opened
from mockserver.storage.cassettes.parsing import bytes_of
from mockserver.storage.cassettes.values import (
    Place,
    list_of,
    mapping_of,
    member,
    status_of,
    text_of,
)

NAME = "Postman"
_VARIABLE = re.compile(r"\{\{([^{}]+)\}\}")


def recognises(value: Json) -> bool:
    """Whether it is a collection: `info` with a Postman schema or id, and `item`."""
    info = value.get("info") if isinstance(value, dict) else None
    return (
        isinstance(info, dict) and "item" in value and ("schema" in info or "_postman_id" in info)
    )


def read(value: Json) -> Imported:
    """The saved responses of every request, in the order of the collection.

    Raises:
        MisplacedError: One is not what it should be.
    """
    variables = {
        str(item.get("key")): str(item.get("value", ""))
        for item in list_of(value.get("variable"), ("variable",))
        if isinstance(item, dict)
    }
    reader = _Reader(variables)
    found = [
        interaction
        for name, example, place in _examples(value)
        if (interaction := reader.interaction(name, example, place)) is not None
    ]
    return Imported(NAME, tuple(found), tuple(reader.notes))


def _examples(collection: JsonObject) -> Iterator[tuple[str, JsonObject, Place]]:
    """Every saved response, however deep its folder is.

    Yields:
        The name of its request, the response with its request, and where it stands.
    """
    waiting: list[tuple[Json, Place]] = [(collection, ())]
    while waiting:
        item, place = waiting.pop()
        entry = mapping_of(item, place)
        for number, example in enumerate(list_of(entry.get("response"), (*place, "response"))):
            where: Place = (*place, "response", number)
            given = mapping_of(example, where)
            asked = given.get("originalRequest") or entry.get("request")
            yield str(entry.get("name", "")), {**given, "originalRequest": asked}, where
        inner = list_of(entry.get("item"), (*place, "item"))
        waiting += [((child), (*place, "item", n)) for n, child in reversed(list(enumerate(inner)))]


class _Reader:
    def __init__(self, variables: dict[str, str]) -> None:
        self._variables = variables
        self.notes: list[str] = []

    def interaction(self, name: str, example: JsonObject, place: Place) -> Interaction | None:
        at: Place = (*place, "originalRequest")
        asked = example["originalRequest"]
        asked = {"url": asked} if isinstance(asked, str) else mapping_of(asked, at)
        body = self._body(asked.get("body") or {}, (*at, "body"))
        url = self._filled(_url(member(asked, "url", at), (*at, "url")))
        if body is None or "{{" in url:
            why = "it sends a file" if body is None else f"no value for a variable in {url}"
            self.notes.append(f"{name!r}: {why}; left out")
            return None
        content = bytes_of(example.get("body"), (*place, "body"))
        headers, coding = opened(self._headers(example.get("header"), (*place, "header")), content)
        return Interaction(
            RecordedRequest(
                text_of(asked.get("method") or "GET", (*at, "method")).upper(),
                url if "://" in url else f"http://{url}",
                self._headers(asked.get("header"), (*at, "header")),
                body,
            ),
            RecordedResponse(
                status_of(example.get("code"), (*place, "code")),
                text_of(example.get("status") or "", (*place, "status")),
                headers,
                content,
                coding,
            ),
        )

    def _filled(self, text: str) -> str:
        return _VARIABLE.sub(lambda found: self._variables.get(found[1].strip(), found[0]), text)

    def _headers(self, value: Json, place: Place) -> tuple[Header, ...]:
        if isinstance(value, str):
            lines = (line.partition(":") for line in value.splitlines() if ":" in line)
            return tuple((name.strip(), self._filled(given.strip())) for name, _, given in lines)
        return tuple(
            (text_of(item.get("key"), place), self._filled(text_of(item.get("value"), place)))
            for item in (mapping_of(item, place) for item in list_of(value, place))
            if not item.get("disabled") and item.get("key")
        )

    def _body(self, body: JsonObject, place: Place) -> bytes | None:
        """The content that was sent; None where it is a file, which a collection does not hold."""
        mode = body.get("mode")
        if mode == "urlencoded":
            items = [mapping_of(item, place) for item in list_of(body.get("urlencoded"), place)]
            pairs = [
                (item.get("key", ""), self._filled(str(item.get("value") or "")))
                for item in items
                if not item.get("disabled")
            ]
            return urlencode(pairs).encode()
        if mode == "graphql":
            return orjson.dumps(body.get("graphql"))
        if mode in {"formdata", "file"}:
            return None
        return self._filled(text_of(body.get("raw") or "", (*place, "raw"))).encode()


def _url(value: Json, place: Place) -> str:
    if isinstance(value, str):
        return value
    return text_of(member(mapping_of(value, place), "raw", place), (*place, "raw"))
