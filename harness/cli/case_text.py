"""A case as text and as JSON, for `understudy case show`. Pure."""

import json
from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from harness.cases import case_hash
from harness.model import Case, Json, JsonObject, ReferenceTurn


def case_text(case: Case, prompts: Sequence[str], snapshot: JsonObject, *, template: str) -> str:
    """Everything about a case for a reader; the messages stand there as they are sent."""
    return "\n".join(
        [
            *_head(case),
            *_messages(prompts, template),
            *_fixtures(case, snapshot),
            *_expectations(case),
            *_reference(case.reference),
            *_notes(case),
        ]
    )


def snapshot_json(snapshot: JsonObject) -> str:
    """A resolved snapshot in full."""
    return json.dumps(snapshot, indent=2, ensure_ascii=False)


def case_json(case: Case, prompts: Sequence[str], snapshot: JsonObject) -> str:
    """Everything about a case for a program: `case`, `hash`, `messages`, `fixtures`."""
    whole = {
        "case": case.model_dump(mode="json", by_alias=True),
        "hash": case_hash(case),
        "messages": list(prompts),
        "fixtures": snapshot,
    }
    return json.dumps(whole, indent=2, ensure_ascii=False)


def _head(case: Case) -> Iterator[str]:
    yield f"{case.id}  {case.title}".rstrip()
    facts = {
        "category": case.category,
        "tags": ", ".join(case.tags),
        "mode": case.mode,
        "trials": f"{case.repeat}, policy {_policy(case)}",
        "timeout": f"{case.timeout_s:g} s" if case.timeout_s else "",
        "source": case.source,
        "source refs": ", ".join(case.source_refs),
        "hash": case_hash(case),
    }
    yield from (f"  {name + ':':13}{value}" for name, value in facts.items() if value)


def _policy(case: Case) -> str:
    if case.policy is None:
        return "the run's"
    return _compact(case.policy.model_dump(by_alias=True, exclude_none=True))


def _messages(prompts: Sequence[str], template: str) -> Iterator[str]:
    yield f"\nMessages as sent (template {template!r})"
    for number, prompt in enumerate(prompts, start=1):
        yield f"--- turn {number} ---"
        yield prompt
    yield "---"


def _fixtures(case: Case, snapshot: JsonObject) -> Iterator[str]:
    world = case.fixtures
    yield "\nFixtures"
    yield f"  base: {'yes' if world.base else 'no'}; clock: {world.clock}; seed: {world.seed}"
    yield f"  overrides: {', '.join(world.overrides) or '(none)'}"
    yield from (f"  file: {name}" for name in world.files)
    yield from (
        f"  workspace: {name} ({len(text)} characters)" for name, text in world.workspace.items()
    )
    if case.required_tools:
        yield f"  required tools: {', '.join(case.required_tools)}"
    yield from (f"  fault: {_fields(fault)}" for fault in world.faults)
    yield from (f"  {name}: {_size(value)}" for name, value in sorted(snapshot.items()))


def _expectations(case: Case) -> Iterator[str]:
    yield "\nExpectations"
    for item in case.expect:
        turn = f" (turn {item.turn})" if item.turn else ""
        mark = "" if item.required else " (informational)"
        yield f"  {item.kind}{turn}{mark}: {_fields(item)}"


def _reference(turns: Sequence[ReferenceTurn]) -> Iterator[str]:
    if turns:
        yield "\nReference (what the oracle plays)"
    for number, turn in enumerate(turns, start=1):
        start = f"  turn {number}"
        yield from (f"{start} calls {call.name} {_compact(call.args)}" for call in turn.calls)
        yield from (f"{start} reports {call.name} {_compact(call.args)}" for call in turn.reports)
        yield from (f"{start} asks {asked.http_method} {asked.url}" for asked in turn.requests)
        yield from (f"{start} writes {name}" for name in turn.files)
        yield f"{start} answers {turn.answer!r}"


def _notes(case: Case) -> Iterator[str]:
    for name, text in case.notes.items():
        yield f"\n{name}\n{text}"


def _fields(value: BaseModel) -> str:
    given = value.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"turn", "required"}
    )
    return " ".join(f"{name}={_compact(held)}" for name, held in given.items())


def _compact(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _size(value: Json) -> str:
    if isinstance(value, list):
        return f"{len(value)} items"
    if isinstance(value, dict):
        return f"{len(value)} key{'' if len(value) == 1 else 's'}"
    return _compact(value)
