"""The case of a trace: what it asks, the reference, and expectations that are proposed.

Only what the trace itself tells is expected, and each expectation says why it is proposed; what
could not be told is a note. A person decides what stays.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from harness.checks.text import holds
from harness.learning.calls import is_writing
from harness.learning.groups import COVERS
from harness.model import Json, JsonObject

if TYPE_CHECKING:
    from mockserver.verify.tool_state import LearnedTools


STATE = "learned"
"""The API behind tools that are answered from state, and its file in the base."""


class World(NamedTuple):
    """What a case begins with.

    Attributes:
        served: The tools that are answered from state.
        files: The files of its override by their names; empty where it begins with the base.
    """

    served: tuple[str, ...] = ()
    files: Mapping[str, Json] = {}


def world_of(state: "LearnedTools | None", number: int, before: Sequence[str]) -> World:
    """The world of a trace.

    Args:
        state: What is answered from state; None for nothing.
        number: The trace's.
        before: The tools that the suite answers from state already: not in this case, of whose
            world they know nothing.
    """
    served = () if state is None else tuple(sorted(state.served[number]))
    override = {} if state is None else state.overrides[number]
    off = before if state is None else sorted(set().union(*state.served).difference(served))
    patch: Json = [{"op": "remove", "path": f"/tools/{_escaped(name)}"} for name in off]
    files: Mapping[str, Json] = {"overrides.json": override, "learned.patch.json": patch}
    return World(served, {name: value for name, value in files.items() if value})


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def tools_from_state(suite: Path) -> list[str]:
    """The tools that a suite which was learned before answers from state."""
    try:
        base = orjson.loads((suite / "base" / f"{STATE}.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return []
    tools = base.get("tools") if isinstance(base, dict) else None
    return list(tools) if isinstance(tools, dict) else []


def state_lines(state: "LearnedTools", ids: Sequence[str]) -> Iterator[str]:
    """What of a suite is answered from state.

    Yields:
        The tools, then why others are left to their recordings, then which cases are.
    """
    served = ", ".join(sorted(set().union(*state.served)))
    yield f"answered from state: {served}; apis/{STATE}.yaml says in comments what is unsure"
    for name, why in sorted(state.left.items()):
        yield f"left to its recordings: {name}: {why}"
    for id, why in zip(ids, state.recorded, strict=True):
        if why:
            yield f"left to its recordings: {id}: {why}"


PROPOSED = "proposed"
"""The tag of cases whose expectations nobody has looked at yet."""

_LEARNED = "learned"
_REGRESSION = "regression"
_SLUG = re.compile(r"[^a-z0-9]+")
_NO_WORD = re.compile(r"[@\d/\\<>{}]")
_LONGEST_SLUG = 40
_LONGEST_TITLE = 100
_LONGEST_NOTE = 4_000
_FACT = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+\w|\w[\w./:-]*\d[\w./:-]*\w|\w*\d+(?:[.,]\d+)*\w*")
_MOST_FACTS = 4
_LEAST_TEXT = 3
_LIKENESS = 0.3
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


class CaseTerms(NamedTuple):
    """What is said of a case beside its trace.

    Attributes:
        id: The case's id.
        covers: What the trace has in common with those that are alike.
        cassettes: The names of its recordings; none where it called nothing that can be played.
        why: What was wrong with the trace, or an empty string. A write that was made again with
            the same arguments is expected once, then.
        world: Which of its tools are answered from state.
    """

    id: str
    covers: str
    cassettes: tuple[str, ...] = ()
    why: str = ""
    world: World = World()


def propose(facts: JsonObject, tools: Iterable[JsonObject], terms: CaseTerms) -> JsonObject:
    """The case of a trace.

    Args:
        facts: What is known of it, redacted.
        tools: What the agent was given: name, description, schema.
        terms: What is said of the case beside that.
    """
    known = {tool["name"]: tool for tool in tools}
    why: list[str] = []
    turns: list[JsonObject] = facts["turns"]
    if terms.why:
        turns = _without_repeated_writes(turns, known, why)
    inputs, heard = [], ""
    for number, turn in enumerate(turns, start=1):
        heard += f"\n{turn['user']}"
        where = f"turn {number}: " if len(turns) > 1 else ""
        expect, reasons = _expected_calls(turn, heard, known)
        more, told = _expected_text(turn, heard)
        expect |= more
        why += [f"{where}{each}" for each in (*reasons, *told)]
        heard += "\n" + "\n".join(_plain(call["result"]) for call in turn["calls"])
        inputs.append(
            {"user": turn["user"], "expect": expect} if expect else {"user": turn["user"]}
        )
    answered = [number for number, turn in enumerate(turns) if turn["answer"].strip()]
    if answered and not any("expect" in each for each in inputs):
        text = turns[answered[-1]]["answer"]
        inputs[answered[-1]]["expect"] = {"reference": {"text": text, "min_similarity": _LIKENESS}}
        why.append("reference: the words of the recorded answer, as nothing else could be told")
    called = {call["name"] for turn in turns for call in turn["calls"]}
    forbidden = sorted(
        name for name, tool in known.items() if name not in called and is_writing(name, tool)
    )
    made = Counter(call["name"] for turn in turns for call in turn["calls"])
    most = {name: made[name] for name in sorted(made) if is_writing(name, known.get(name))}
    tools_block: JsonObject = {}
    if forbidden:
        tools_block["forbidden"] = [_literal_glob(name) for name in forbidden]
        why.append(f"tools.forbidden: these can write, and were not called ({len(forbidden)})")
    if most:
        tools_block["max"] = most
        why.append("tools.max: no more writes than these, whatever the arguments")
    case: JsonObject = {
        "id": terms.id,
        "title": _title(turns[0]["user"]),
        **({"category": facts["agent"]} if facts["agent"] else {}),
        "tags": [_LEARNED, PROPOSED, *([_REGRESSION] if terms.why else [])],
        "input": inputs,
        "fixtures": {
            **({} if terms.world.files else {"overrides": []}),
            **({"cassettes": [*terms.cassettes], "repeats": "last"} if terms.cassettes else {}),
        },
        **({"tools": dict.fromkeys(terms.world.served, "mocked")} if terms.world.served else {}),
        **({"expect": {"tools": tools_block}} if tools_block else {}),
        "reference": [_reference(turn) for turn in turns],
        "source_refs": [*([facts["place"]] if facts["place"] else []), f"trace {facts['id']}"],
        "notes": dict(_notes(facts, why, terms)),
    }
    names = {found for text in _texts(case) for found in _PLACEHOLDER.findall(text)}
    if names:  # what looks like a variable of a case is a text of the trace
        case["variables"] = {name: "{{" + name + "}}" for name in sorted(names)}
    return case


def _without_repeated_writes(
    turns: list[JsonObject], tools: Mapping[str, JsonObject], why: list[str]
) -> list[JsonObject]:
    """The turns with each write once that was made again with the same arguments."""
    seen: Counter[str] = Counter()
    found = []
    for turn in turns:
        kept = []
        for call in turn["calls"]:
            key = f"{call['name']} {_as_json(call['arguments'], is_sorted=True)}"
            is_write = is_writing(call["name"], tools.get(call["name"])) and "error" not in call
            seen[key] += is_write
            if seen[key] < 2 or not is_write:
                kept.append(call)
        found.append({**turn, "calls": kept})
    why += [
        f"tools.calls: {key.partition(' ')[0]} once with {key.partition(' ')[2]}: the trace called"
        f" it {count} times"
        for key, count in seen.items()
        if count > 1
    ]
    return found


def case_id(facts: JsonObject, covers: str) -> str:
    """An id by what was asked, the same in every import of the same trace."""
    asked = facts["turns"][0]["user"]
    plain = " ".join(word for word in asked.lower().split() if not _NO_WORD.search(word))
    slug = _SLUG.sub("-", plain).strip("-")[:_LONGEST_SLUG].strip("-")
    told = orjson.dumps([covers, [turn["user"] for turn in facts["turns"]]])
    digest = hashlib.sha256(told).hexdigest()[:6]
    return f"{slug}-{digest}" if slug else f"trace-{digest}"


def _title(asked: str) -> str:
    line = " ".join(asked.split())
    return line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 3]}..."


def _expected_calls(
    turn: JsonObject, heard: str, tools: Mapping[str, JsonObject]
) -> tuple[JsonObject, list[str]]:
    """The calls of a turn that are expected, and why."""
    calls, why = [], []
    results = ""
    counts = Counter(call["name"] for call in turn["calls"])
    for name in counts:
        same = [call for call in turn["calls"] if call["name"] == name]
        writes = is_writing(name, tools.get(name))
        distinct: dict[str, JsonObject] = {}
        times: Counter[str] = Counter()
        for call in same:
            args = dict(_carried(call["arguments"], f"{heard}\n{results}"))
            key = _as_json(args, is_sorted=True)
            distinct.setdefault(key, args)
            times[key] += 1
            results += "\n" + _plain(call["result"])
        for key, args in distinct.items():
            expected: JsonObject = {"name": name}
            expected |= {"args": args} if args else {}
            said = f"tools.calls: {name}"
            if args:
                said += f" with {', '.join(args)}, which what was said or returned before tells"
            if writes:
                expected |= {"count": times[key]} if times[key] > 1 else {}
                said += f"; it writes, and was called {_times(times[key])}"
            calls.append(expected)
            why.append(said)
    return ({"tools": {"calls": calls}} if calls else {}), why


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _carried(arguments: Json, heard: str) -> Iterator[tuple[str, Json]]:
    """The arguments whose values stand in what was heard before.

    Yields:
        Name and value.
    """
    if not isinstance(arguments, dict):
        return
    lower = heard.lower()
    for name, value in arguments.items():
        is_figure = isinstance(value, int | float) and not isinstance(value, bool)
        is_text = isinstance(value, str) and len(value) >= _LEAST_TEXT
        if (is_text and str(value).lower() in lower) or (
            is_figure and re.search(rf"(?<![\w.]){re.escape(str(value))}(?![\w.]*\w)", heard)
        ):
            yield name, value


def _expected_text(turn: JsonObject, heard: str) -> tuple[JsonObject, list[str]]:
    """The facts of an answer that tools returned, and why they are expected."""
    answer = turn["answer"]
    results = "\n".join(_plain(call["result"]) for call in turn["calls"])
    facts = []
    for found in dict.fromkeys(_FACT.findall(answer)):
        fact = found.strip(".,:/-")
        bare = fact.replace(",", "")
        is_told = fact in results or (len(bare) > 1 and bare in results)
        if is_told and len(fact) > 1 and fact not in heard and holds(answer, fact):
            facts.append(fact)
    facts = facts[:_MOST_FACTS]
    if not facts:
        return {}, []
    why = f"text.contains: {', '.join(facts)} of the answer stand in what tools returned"
    return {"text": {"contains": facts}}, [why]


def _reference(turn: JsonObject) -> JsonObject:
    played = [call for call in turn["calls"] if call["played"]]
    told = [call for call in turn["calls"] if not call["played"]]
    found: JsonObject = {}
    if played:
        found["calls"] = [{"name": each["name"], "args": each["arguments"]} for each in played]
    if told:
        found["reports"] = [
            {"name": each["name"],
             "args": each["arguments"] if isinstance(each["arguments"], dict) else {}}
            for each in told
        ]  # fmt: skip
    return {**found, "answer": turn["answer"]}


def _notes(facts: JsonObject, why: list[str], terms: CaseTerms) -> Iterator[tuple[str, str]]:
    if terms.why:
        yield "Why", terms.why
    if facts["system"]:
        yield "System", facts["system"][:_LONGEST_NOTE]
    yield "Proposed", "\n".join(why)
    if facts["missing"]:
        yield "Missing", "\n".join(facts["missing"])
    if facts["error"]:
        yield (
            "Failed",
            f"{facts['error'][:_LONGEST_NOTE]}\nThe reference is what the agent did: "
            "correct it where that was wrong.",
        )
    told = [
        f"{each['name']}: {each['label'] if each['value'] is None else each['value']}"
        + (f" ({each['reason']})" if each["reason"] else "")
        for each in facts["scores"]
    ]
    if told:
        yield "Scores", "\n".join(told)
    yield COVERS, terms.covers


def group_note(facts: JsonObject, count: int) -> str:
    """What a case says of the traces that are like its own."""
    shown = facts["alike"]
    more = f" and {count - len(shown)} more" if count > len(shown) else ""
    return f"{count} traces: {', '.join(shown)}{more}"


def _literal_glob(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


def _plain(value: Json) -> str:
    """A value as a text in which its parts are found."""
    if value is None:
        return ""
    return value if isinstance(value, str) else _as_json(value)


def _as_json(value: Json, *, is_sorted: bool = False) -> str:
    # not by orjson: integers of traces may have any length
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=is_sorted)


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
