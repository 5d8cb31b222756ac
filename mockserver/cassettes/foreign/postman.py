"""Postman collections: the responses that were saved as examples."""

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import orjson

from mockserver.cassettes.files.parser import bytes_of
from mockserver.cassettes.files.values import (
    MisplacedError,
    list_of,
    mapping_of,
    member,
    status_of,
    text_of,
)
from mockserver.cassettes.foreign.common import (
    ImportedRecording,
    Source,
    decode_if_coded,
    import_items,
    with_places,
)
from mockserver.model import (
    Header,
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage.untrusted_json import Place

NAME = "Postman"
_VARIABLE = re.compile(r"\{\{([^{}]+)\}\}")


def recognises(value: Json) -> bool:
    """Whether it is a collection: `info` with a Postman schema or id, and `item`."""
    info = value.get("info") if isinstance(value, dict) else None
    return (
        isinstance(info, dict) and "item" in value and ("schema" in info or "_postman_id" in info)
    )


def read(value: Json, _source: Source) -> ImportedRecording:
    """The saved responses of every request, in the order of the collection.

    Those that cannot be used are left out with a note.
    """
    variables = {
        str(item.get("key")): str(item.get("value", ""))
        for item in list_of(value.get("variable"), ("variable",))
        if isinstance(item, dict)
    }
    return import_items(NAME, _examples(value), _Reader(variables).interaction)


def _examples(collection: JsonObject) -> Iterator[tuple[Place, Json]]:
    """Every saved response, however deep its folder is.

    Yields:
        Where it stands, and the response with its request; a folder that is none as it is.
    """
    waiting: list[tuple[Place, Json]] = [((), collection)]
    while waiting:
        place, entry = waiting.pop()
        if not isinstance(entry, dict):
            yield place, entry
            continue
        responses, inner = entry.get("response") or [], entry.get("item") or []
        for where, example in with_places(responses, (*place, "response")):
            if isinstance(example, dict):
                asked = example.get("originalRequest") or entry.get("request")
                example = {**example, "originalRequest": asked} if asked else example
            yield where, example
        waiting += reversed(with_places(inner, (*place, "item")))


class _Reader:
    """Reads saved responses.

    Args:
        variables: Of the collection.
    """

    def __init__(self, variables: dict[str, str]) -> None:
        self._variables = variables

    def interaction(self, value: Json, place: Place) -> Interaction:
        """One saved response with its request.

        Raises:
            MisplacedError: It is not what it should be, or does not hold what was sent.
        """
        example = mapping_of(value, place)
        at: Place = (*place, "originalRequest")
        asked = member(example, "originalRequest", place)
        asked = {"url": asked} if isinstance(asked, str) else mapping_of(asked, at)
        body = self._body(asked.get("body") or {}, (*at, "body"))
        url = self._fill_variables(_url(member(asked, "url", at), (*at, "url")))
        if "{{" in url:
            raise MisplacedError((*at, "url"), f"no value for a variable in {url}")
        headers, content, coding = decode_if_coded(
            self._headers(example.get("header"), (*place, "header")),
            bytes_of(example.get("body"), (*place, "body")),
        )
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

    def _fill_variables(self, text: str) -> str:
        return _VARIABLE.sub(lambda found: self._variables.get(found[1].strip(), found[0]), text)

    def _headers(self, value: Json, place: Place) -> tuple[Header, ...]:
        if isinstance(value, str):
            lines = (line.partition(":") for line in value.splitlines() if ":" in line)
            return tuple(
                (name.strip(), self._fill_variables(given.strip())) for name, _, given in lines
            )
        return tuple(
            (
                text_of(item.get("key"), place),
                self._fill_variables(text_of(item.get("value"), place)),
            )
            for item in (mapping_of(item, place) for item in list_of(value, place))
            if not item.get("disabled") and item.get("key")
        )

    def _body(self, body: JsonObject, place: Place) -> bytes:
        """The content that was sent; raises MisplacedError for a file, which is not held."""
        mode = body.get("mode")
        if mode == "urlencoded":
            items = [mapping_of(item, place) for item in list_of(body.get("urlencoded"), place)]
            pairs = [
                (item.get("key", ""), self._fill_variables(str(item.get("value") or "")))
                for item in items
                if not item.get("disabled")
            ]
            return urlencode(pairs).encode()
        if mode == "graphql":
            return orjson.dumps(body.get("graphql"))
        if mode in {"formdata", "file"}:
            raise MisplacedError(place, "it sends a file")
        return self._fill_variables(text_of(body.get("raw") or "", (*place, "raw"))).encode()


def _url(value: Json, place: Place) -> str:
    if isinstance(value, str):
        return value
    return text_of(member(mapping_of(value, place), "raw", place), (*place, "raw"))
