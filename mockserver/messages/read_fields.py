"""Which fields of a world answers held, told by their values: no more is known of an answer.

A world is a merged snapshot, or what tools returned in recordings. Fields are told by collection
and path; of times only the key counts, as they move with the clock. Pure.
"""

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field

import orjson

from mockserver.messages.mcp_calls import TOOL_CALL, is_mcp, mcp_call, plain_result
from mockserver.model import Interaction, Json, JsonObject

_TIME = re.compile(r"\d{4}-\d\d-\d\dT")
_WORD = re.compile(r"\w+")
_EDGES = string.punctuation.replace("_", "") + string.whitespace
_TELLING = 4
"""Characters from which on a text is recognised under another key, too."""

_MOST_WORDS = 16
"""Of so many words a text is at most that is found inside a longer one."""

_MOST_TEXT = 100_000
"""So many characters of an answer that is no JSON are looked at."""

_MOST_KEYS = 40
"""An object with more keys than these is a table, whose keys are no names of fields."""

_NOT_DATA = frozenset({"capturedAt", "errors", "faults"})
_OF_A_TOOL = frozenset({"description", "inputSchema", "outputSchema"})
_TOOLS = "tools"

Place = tuple[str, str]
"""A collection, and the path of a field in it."""


NOWHERE: frozenset[Place] = frozenset()


@dataclass(slots=True)
class FieldValues:
    """Where the values of worlds stand.

    Attributes:
        pairs: By the last key of their path, and their text.
        texts: By their text alone, where that tells something, without punctuation around it.
        times: By their key, where they are times.
    """

    pairs: dict[tuple[str, str], set[Place]] = field(default_factory=dict)
    texts: dict[str, set[Place]] = field(default_factory=dict)
    times: dict[str, set[Place]] = field(default_factory=dict)

    def copy(self) -> "FieldValues":
        """The same places, of which values may be taken."""
        return FieldValues(dict(self.pairs), dict(self.texts), dict(self.times))

    def add(self, place: Place, key: str, value: Json) -> None:
        """Note where a value stands, under the last key of its path."""
        text = str(value)
        self.pairs.setdefault((key, text), set()).add(place)
        if _is_telling(value, text):
            self.texts.setdefault(text.strip(_EDGES), set()).add(place)
        if _TIME.match(text):
            self.times.setdefault(key, set()).add(place)

    def take(self, key: str, value: Json) -> Set[Place]:
        """The places of a value, which is then known no more: most are sent again and again."""
        text = str(value)
        found: Set[Place] = self.pairs.pop((key, text), NOWHERE)
        if _is_telling(value, text):
            found = found | self.texts.pop(text.strip(_EDGES), NOWHERE)
        return found | self.times.pop(key, NOWHERE)  # times are moved with the clock

    def inside(self, text: str, *, taken: bool = False) -> set[Place]:
        """The places of the values that stand in a text from one edge of a word to another."""
        found: set[Place] = set()
        look = self.texts.pop if taken else self.texts.get
        spans = [match.span() for match in _WORD.finditer(text)]
        for first, (start, _) in enumerate(spans):
            for _, end in spans[first : first + _MOST_WORDS]:
                found |= look(text[start:end], NOWHERE)
        return found


class WorldFields:
    """The fields of worlds, and the values that stand in them.

    Attributes:
        paths: The paths of each collection, in the order of the worlds.
        tools: The tools that the worlds have.
        values: Where their values stand.
    """

    def __init__(self) -> None:
        self.paths: dict[str, dict[str, None]] = {}
        self.tools: dict[str, None] = {}
        self.values = FieldValues()
        self._held: dict[int, Json] = {}

    def add_world(self, world: JsonObject) -> None:
        """Take in a world.

        Worlds of a suite share what no case changes: that is looked at once.
        """
        for collection, content in world.items():
            if collection in _NOT_DATA or id(content) in self._held:
                continue
            self._held[id(content)] = content  # while it is held, its id is that of nothing else
            if collection == _TOOLS and isinstance(content, Mapping):
                self.tools.update(dict.fromkeys(content))
                content = {name: _answers_of(tool) for name, tool in content.items()}
            elif collection.startswith(f"{_TOOLS}."):
                self.tools[collection.removeprefix(f"{_TOOLS}.")] = None
            paths = self.paths.setdefault(collection, {})
            for path, key, value in _leaves(content, ""):
                paths[path] = None
                self.values.add((collection, path), key, value)


class ReadFields:
    """Collects the fields of worlds that answers held.

    Args:
        known: The fields, once all worlds are taken in.

    Attributes:
        places: What was read.
    """

    def __init__(self, known: WorldFields) -> None:
        self._unread = known.values.copy()
        self.places: set[Place] = set()

    def note_answer(self, body: str) -> None:
        """Look at the body of an answer."""
        value = _parse_body(body)
        if isinstance(value, str):
            self.places |= self._unread.inside(value[:_MOST_TEXT], taken=True)
            return
        for key, leaf in pairs_in(value):
            self.places |= self._unread.take(key, leaf)


def recorded_results(interactions: Iterable[Interaction]) -> JsonObject:
    """What tools returned in recordings, as a world: `tools.NAME` to its results."""
    found: dict[str, list[Json]] = {}
    for each in interactions:
        if not is_mcp(each) or each.response.file is not None:
            continue
        call = mcp_call(each)
        if call.method == TOOL_CALL and call.result is not None:
            tool = f"{_TOOLS}.{call.params.get('name')}"
            found.setdefault(tool, []).append(plain_result(call.result))
    return dict(found)


def _answers_of(tool: Json) -> Json:
    """What a tool of a snapshot answers by itself, without how it is described."""
    if not isinstance(tool, Mapping):
        return tool
    if "call" in tool:  # its answer is made of what a method answers
        return {}
    return {name: value for name, value in tool.items() if name not in _OF_A_TOOL}


def _is_telling(value: Json, text: str) -> bool:
    return not isinstance(value, bool | float) and len(text) >= _TELLING


def _parse_body(body: str) -> Json:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return body


def _leaves(value: Json, path: str, key: str = "") -> Iterator[tuple[str, str, Json]]:
    """The values without parts, each with its path and the last key of it.

    Yields:
        Path, key, value; of JSON in a text, as MCP has it, those inside.
    """
    if isinstance(value, Mapping):
        is_table = len(value) > _MOST_KEYS
        for name, item in value.items():
            step = "*" if is_table else "" if "@" in name else name
            yield from _leaves(item, ".".join(filter(None, (path, step))), name)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, path, key)
    elif value is not None:
        inside = _inside_text(value)
        yield from [(path, key, value)] if inside is None else _leaves(inside, path, key)


def pairs_in(value: Json) -> Iterator[tuple[str, Json]]:
    """The same without their paths, in any order.

    Yields:
        Key, value.
    """
    waiting = [("", value)]
    while waiting:
        key, item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.items())
        elif isinstance(item, list):
            waiting.extend([(key, each) for each in item])
        elif item is not None:
            inside = _inside_text(item)
            if inside is None:
                yield key, item
            else:
                waiting.append((key, inside))


def _inside_text(value: Json) -> Json:
    """The object or list that a text is; None where it is none."""
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return None
    inside = _parse_body(value)
    return None if isinstance(inside, str) else inside
