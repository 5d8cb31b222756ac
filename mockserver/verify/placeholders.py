"""Placeholders and made-up names of recorded requests: what each means when they are sent again."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import orjson

from mockserver.messages import read_json, read_json_object
from mockserver.model import Interaction, Json, RecordedRequest
from mockserver.verify.comparison import Answer
from mockserver.verify.seeds import last_part
from mockserver.verify.values import Translation

_WORD = re.compile(r"[\w-]+")


class Placeholders:
    """Tells a translation what the placeholders of each request mean.

    Args:
        translation: What stands for what.
        interactions: The recording.
    """

    def __init__(self, translation: Translation, interactions: Iterable[Interaction]) -> None:
        self._translation = translation
        self._chosen: dict[str, set[str]] = {}
        self._present: dict[tuple[str, str], list[str]] = {}
        self._latest: dict[tuple[str, str], int] = {}
        self._made: tuple[str, str] | None = None
        for each in interactions if translation.has_placeholders else ():
            with suppress(RecursionError, ValueError):  # told when it is sent
                collection, name = created_name(each.request)
                if translation.is_placeholder(name):
                    name = self._name_in_answer(collection, each)
                if name and not translation.is_placeholder(name):
                    self._chosen.setdefault(collection, set()).add(name)

    def resolve(self, interaction: Interaction) -> None:
        """Tell what the placeholders of a recorded request mean, before it is translated."""
        if not self._translation.has_placeholders:
            return
        asked, answer = interaction.request, interaction.response
        if self._made is not None:  # the mock has answered by now
            own = self._translation.own_segment(*self._made)
            present = self._present.setdefault(self._made, [])
            present += [own] if own not in present else []
        collection, name = created_name(asked)
        self._made = None
        if collection and not name and answer.status < 300:
            made = last_part(str(read_json_object(answer.body).get("name", "")))
            self._made = (collection, made) if self._translation.is_placeholder(made) else None
        if self._translation.is_placeholder(name):
            told = self._name_in_answer(collection, interaction)
            if told:
                self._translation.learn(collection, name, told)
                self._translation.stand_in(name, told)
            elif answer.status < 300:
                self._create(collection, name)
            return
        words = set(_WORD.findall(answer.body.decode("utf-8", "replace")))
        segments = [unquote(each).partition(":")[0] for each in urlsplit(asked.url).path.split("/")]
        for place, text in enumerate(segments):
            if not place or not self._translation.is_placeholder(text):
                continue
            parent = segments[place - 1]
            named = self._chosen.get(parent, set()) & words
            if len(named) == 1:
                self._translation.learn(parent, text, named.pop())
            elif place + 1 == len(segments):
                self._choose(asked.method, parent, text, answer.status)

    def _name_in_answer(self, collection: str, creation: Interaction) -> str:
        """The name in the answer to a creation whose request has a placeholder; empty for none."""
        text = creation.response.body.decode("utf-8", "replace")
        found = {each for each in re.findall(rf"/{re.escape(collection)}/([\w-]+)", text)
                 if not self._translation.is_placeholder(each)}  # fmt: skip
        return found.pop() if len(found) == 1 and creation.response.status < 300 else ""

    def _create(self, collection: str, name: str) -> None:
        """A resource that is made beside one of the same placeholder is another one."""
        present = self._present.setdefault((collection, name), [])
        if present:
            self._translation.learn(collection, name, self._next(collection, name))
            self._latest[collection, name] += 1
        present.append(self._translation.own_segment(collection, name))

    def _choose(self, method: str, collection: str, name: str, status: int) -> None:
        """Of those that are there the last one is meant; what is not there is the next one."""
        present = self._present.get((collection, name))
        if not present:
            return
        if status == 404:
            self._translation.learn(collection, name, self._next(collection, name))
        elif status < 300:
            self._translation.learn(collection, name, present[-1])
            if method == "DELETE":
                present.pop()

    def _next(self, collection: str, name: str) -> str:
        return f"{name}{self._latest.setdefault((collection, name), 2)}"


def created_name(sent: RecordedRequest) -> tuple[str, str]:
    """The collection that a POST creates in, and the name that it chooses there; empty for none."""
    url = urlsplit(sent.url)
    if sent.method != "POST":
        return "", ""
    collection = last_part(url.path)
    ident = f"{collection.removesuffix('s')}id".lower()
    for name, value in parse_qsl(url.query):
        if name.lower() == ident:
            return collection, value
    body = read_json(sent.body)[0]
    if isinstance(body, dict):
        for name, value in body.items():
            if name.endswith("Reference") and isinstance(value, dict):
                found = [each for key, each in value.items() if key.lower() == ident]
                if found:
                    return collection, str(found[0])
        if isinstance(body.get("name"), str):
            return collection, last_part(body["name"])
    return collection, ""


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
    """Learn what a creation named: by the request, and by the ids in both answers."""
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
