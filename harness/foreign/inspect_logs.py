"""Logs of Inspect, `.eval` and `.json`: a sample is a case, an epoch a trial, a scorer a score."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.foreign.results import (
    ImportedResults,
    ImportedTrial,
    ReadOptions,
    count_of,
    list_of,
    object_of,
    own_facts,
    own_run,
    rfc3339,
    text_of,
)
from harness.foreign.source import ZIP_MAGIC, SourceFile
from harness.model import Json, JsonObject, Reply, Score, ToolCall, Usage
from mockserver.traces import finite

HEADER, START = "header.json", "_journal/start.json"
_SAMPLE = re.compile(r"samples/.*\.json")
_LETTERS = {"C": True, "I": False, "N": False}
"""What Inspect's scorers say of correct and incorrect answers, and of those that give none."""
_ATTACHMENT = "attachment://"


def recognises(source: SourceFile) -> bool:
    """Whether a file is a log of Inspect."""
    if source.content.startswith(ZIP_MAGIC):
        return bool({HEADER, START} & set(source.archive.names))
    if not source.looks_like_json or b'"eval"' not in source.content:
        return False
    log = object_of(source.json)
    return "eval" in log and "task" in object_of(log["eval"])


def read(source: SourceFile, options: ReadOptions) -> ImportedResults:
    """Read the samples of a log, also of one that is not finished.

    Raises:
        HarnessError: It cannot be read, or has no sample.
    """
    del options
    if source.content.startswith(ZIP_MAGIC):
        archive = source.archive
        name = HEADER if HEADER in archive.names else START
        log = object_of(source.parse_json(archive.read(name), name))
        names = [name for name in archive.names if _SAMPLE.fullmatch(name)]
        samples: Iterator[Json] = (source.parse_json(archive.read(name), name) for name in names)
    else:
        log = object_of(source.json)
        samples = iter(list_of(log.get("samples")))
    spec = object_of(log.get("eval"))
    trials = [_trial(source, sample) for sample in samples]
    if not trials:
        raise source.error(
            "has no sample in it", "a log with samples is wanted, not its header alone"
        )
    names = [str(each.get("name", "")) for each in map(object_of, list_of(spec.get("scorers")))]
    deciding = frozenset(name for name in names if name) or frozenset(
        score.name for trial in trials for score in trial.scores
    )
    version = object_of(spec.get("packages")).get("inspect_ai")
    ids = list_of(object_of(spec.get("dataset")).get("sample_ids"))
    order = {str(id): number for number, id in enumerate(ids)}
    known = own_run(object_of(spec.get("metadata")))
    if not known:
        trials = [replace(trial, deciding=deciding) for trial in trials]
    return ImportedResults(
        **{
            "suite": str(spec.get("task") or source.name),
            "agent": str(spec.get("model") or ""),
            "tool": f"inspect_ai {version}" if version else "inspect_ai",
            "started_at": rfc3339(spec.get("created")),
            "trials": sorted(
                trials, key=lambda trial: (order.get(trial.case, len(order)), trial.number or 0)
            ),
            **known,
        }
    )


def _trial(source: SourceFile, value: Json) -> ImportedTrial:
    sample = object_of(value)
    if "id" not in sample:
        raise source.error("has a sample without an id")
    attachments = object_of(sample.get("attachments"))
    prompt = sample.get("input")
    turns = (
        (text_of(prompt),)
        if isinstance(prompt, str)
        else tuple(
            _text(each.get("content"), attachments)
            for each in map(object_of, list_of(prompt))
            if each.get("role") == "user"
        )
    )
    error = object_of(sample.get("error"))
    facts: dict[str, Any] = {
        "case": str(sample["id"]),
        "number": count_of(sample.get("epoch")),
        "turns": turns,
        "outcome": "infra_error" if error else "replied",
        "error": str(error.get("message") or "error") if error else "",
        "started_at": rfc3339(sample.get("started_at")),
        "duration_ms": (finite(sample.get("total_time")) or 0) * 1000,
        "agent_ms": (finite(sample.get("working_time")) or 0) * 1000,
        "replies": _replies(sample, attachments),
        "scores": tuple(_scores(object_of(sample.get("scores")))),
    }
    return ImportedTrial(**facts | own_facts(object_of(sample.get("metadata")), facts["scores"]))


def _replies(sample: JsonObject, attachments: JsonObject) -> tuple[Reply, ...]:
    """The conversation, a reply for what the user says at once; tokens are told of all together."""
    turns: list[dict[str, Any]] = []
    results: dict[str, JsonObject] = {}
    messages = [object_of(each) for each in list_of(sample.get("messages"))]
    for message in messages:
        if message.get("role") == "tool" and message.get("tool_call_id"):
            results[str(message["tool_call_id"])] = message
    for message in messages:
        role, text = message.get("role"), _text(message.get("content"), attachments)
        if role == "user" and turns and not turns[-1]["rounds"]:
            turns[-1]["prompt"] += f"\n{text}"
        elif role == "user":
            turns.append({"prompt": text, "texts": [], "calls": [], "rounds": 0})
        elif role == "assistant":
            if not turns:
                turns.append({"prompt": "", "texts": [], "calls": [], "rounds": 0})
            turns[-1]["texts"] += [text] * bool(text)
            turns[-1]["calls"] += [
                _call(object_of(each), results, len(turns), turns[-1]["rounds"], attachments)
                for each in list_of(message.get("tool_calls"))
            ]
            turns[-1]["rounds"] += 1
    answered = [turn for turn in turns if turn["rounds"]]
    return tuple(
        Reply(
            turn=number,
            prompt=turn["prompt"],
            text="\n".join(turn["texts"]),
            tool_calls=tuple(turn["calls"]),
            rounds=turn["rounds"],
            usage=_usage(sample) if number == len(answered) else Usage(),
        )
        for number, turn in enumerate(answered, 1)
    )


def _call(
    call: JsonObject, results: dict[str, JsonObject], turn: int, step: int, attachments: JsonObject
) -> ToolCall:
    result = results.get(str(call.get("id")))
    arguments = call.get("arguments")
    return ToolCall(
        name=str(call.get("function") or ""),
        args=arguments if isinstance(arguments, dict | str) else {},
        id=str(call.get("id") or ""),
        turn=turn,
        step=step,
        status="unknown" if result is None else "error" if result.get("error") else "ok",
        result=None if result is None else _text(result.get("content"), attachments),
    )


def _usage(sample: JsonObject) -> Usage:
    used = [object_of(each) for each in object_of(sample.get("model_usage")).values()]
    if not used:
        return Usage()
    costs = [cost for each in used if (cost := finite(each.get("total_cost"))) is not None]
    return Usage(
        input_tokens=sum(count_of(each.get("input_tokens")) or 0 for each in used),
        output_tokens=sum(count_of(each.get("output_tokens")) or 0 for each in used),
        cost_usd=sum(costs) if costs else None,
    )


def _scores(scores: JsonObject) -> Iterator[Score]:
    for name, score in scores.items():
        if not name:
            continue
        held = object_of(score)
        reason = text_of(held.get("explanation")) or text_of(held.get("answer"))
        if isinstance(value := held.get("value"), dict):
            for key, each in value.items():
                yield _score(f"{name}/{key}", each, reason)
        else:
            yield _score(name, value, reason)


def _score(name: str, value: Json, reason: str) -> Score:
    """Correct and incorrect, true and false, 1 and 0 are verdicts; all else is a figure."""
    if isinstance(value, bool):
        return Score(name=name, passed=value, value=float(value), reason=reason)
    if isinstance(value, str):
        return Score(name=name, passed=_LETTERS.get(value), value=value, reason=reason)
    figure = finite(value)
    passed = {1.0: True, 0.0: False}.get(figure) if figure is not None else None
    known = figure if figure is not None else text_of(value) or None
    return Score(name=name, passed=passed, value=known, reason="" if passed is None else reason)


def _text(value: Json, attachments: JsonObject) -> str:
    text = text_of(value)
    if text.startswith(_ATTACHMENT):
        return text_of(attachments.get(text.removeprefix(_ATTACHMENT), text))
    return text
