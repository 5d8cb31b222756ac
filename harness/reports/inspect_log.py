"""A log of Inspect, `.eval`: cases are samples, trials epochs, checks scores."""

import io
import zipfile
from collections.abc import Iterator

from pydantic_core import to_json

from harness.model import Json, JsonObject, Reply, RunResult, ToolCall
from harness.reports.reported_trials import (
    EPOCH,
    OWN,
    VERDICT,
    ReportedTrial,
    moment,
    own_run,
    reported_trials,
)
from harness.reports.texts import inert, inert_value

_LETTERS = {"pass": "C", "fail": "I", "agent_error": "I"}
_DATE = (2000, 1, 1, 0, 0, 0)
_ERRORS = frozenset({"infra_error", "replay_miss", "skipped"})


def inspect_report(result: RunResult) -> bytes:
    """The run as a log that `inspect view` shows and `read_eval_log` reads.

    The score `verdict` comes first; a check that was not evaluated gives no score. A trial that
    says nothing of the agent is a sample with an error.
    """
    out = io.BytesIO()
    summaries = []
    names: dict[str, None] = {VERDICT: None}
    letters: list[str] = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for trial in reported_trials(result):
            sample = _sample(result, trial)
            names |= dict.fromkeys(sample["scores"])
            letters += [sample["scores"][VERDICT]["value"]] if VERDICT in sample["scores"] else []
            member = f"samples/{trial.case.id}_epoch_{trial.decision.number}.json"
            _write(archive, member, sample)
            summaries.append(_summary(sample))
        spec = _spec(result, list(names))
        start = {"version": 2, "eval": spec, "plan": {"name": "plan", "steps": [], "config": {}}}
        _write(archive, "_journal/start.json", start)
        _write(archive, "summaries.json", summaries)
        _write(archive, "header.json", start | _outcome(result, letters, len(summaries)))
    return out.getvalue()


def _write(archive: zipfile.ZipFile, name: str, value: Json) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, to_json(value, inf_nan_mode="null"))


def _spec(result: RunResult, names: list[str]) -> JsonObject:
    manifest = result.manifest
    started = moment(manifest.started_at)
    return {
        "eval_id": manifest.run,
        "run_id": manifest.run,
        "created": started.isoformat() if started else EPOCH,
        "task": inert(manifest.suite).rstrip("/").rpartition("/")[2] or "suite",
        "task_id": manifest.run,
        "task_version": 0,
        "dataset": {
            "name": inert(manifest.suite),
            "samples": len(result.cases),
            "sample_ids": [case.id for case in result.cases],
        },
        "model": inert(manifest.agent),
        "config": {"epochs": max(manifest.trials.values(), default=1)},
        "packages": {OWN: manifest.versions.get(OWN, "")},
        "scorers": [{"name": name, "options": {}, "metrics": []} for name in names],
        "metadata": {OWN: own_run(result)},
    }


def _outcome(result: RunResult, letters: list[str], trials: int) -> JsonObject:
    started = moment(result.manifest.started_at)
    rate = letters.count("C") / len(letters) if letters else 0.0
    score = {
        "name": VERDICT,
        "scorer": VERDICT,
        "scored_samples": len(letters),
        "unscored_samples": trials - len(letters),
        "metrics": {"accuracy": {"name": "accuracy", "value": rate}},
    }
    return {
        "status": "cancelled" if result.interrupted else "success",
        "results": {
            "total_samples": sum(result.manifest.trials.values()),
            "completed_samples": trials,
            "scores": [score],
        },
        "stats": {
            "started_at": started.isoformat() if started else "",
            "completed_at": "",
            "model_usage": {},
        },
    }


def _sample(result: RunResult, trial: ReportedTrial) -> JsonObject:
    record, decision = trial.record, trial.decision
    replies = record.replies if record else ()
    messages = [message for reply in replies for message in _messages(reply)]
    text = inert(replies[-1].text) if replies else ""
    model = inert(result.manifest.agent)
    prompts = trial.prompts
    started = moment(record.started_at) if record else None
    ended = moment(record.started_at, record.duration_ms) if record else None
    sides = trial.tokens()
    told = any(side is not None for side in sides)
    usage = {
        "input_tokens": sides[0] or 0,
        "output_tokens": sides[1] or 0,
        "total_tokens": (sides[0] or 0) + (sides[1] or 0),
    }
    sample: JsonObject = {
        "id": trial.case.id,
        "epoch": decision.number,
        "input": prompts[0]
        if len(prompts) == 1
        else [{"role": "user", "content": each} for each in prompts],
        "target": "",
        "messages": messages,
        "output": {
            "model": model,
            "choices": [{"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}],
            "completion": text,
        },
        "scores": dict(_scores(trial)),
        "metadata": {OWN: trial.own},
        "store": {},
        "events": [],
        "attachments": {},
        "model_usage": {model: usage} if told else {},
        "total_time": trial.duration_ms / 1000,
        "working_time": (trial.facts.agent_ms if trial.facts else 0) / 1000,
    }
    if started and ended:
        sample |= {"started_at": started.isoformat(), "completed_at": ended.isoformat()}
    if decision.status in _ERRORS:
        reason = inert(decision.reason) or decision.status
        sample["error"] = {"message": reason, "traceback": "", "traceback_ansi": ""}
    return sample


def _summary(sample: JsonObject) -> JsonObject:
    known = (
        "id", "epoch", "input", "target", "metadata", "scores", "model_usage", "started_at",
        "completed_at", "total_time", "working_time",
    )  # fmt: skip
    found = {name: sample[name] for name in known if name in sample}
    if "error" in sample:
        found["error"] = sample["error"]["message"]
    return found | {"completed": True, "message_count": len(sample["messages"])}


def _scores(trial: ReportedTrial) -> Iterator[tuple[str, JsonObject]]:
    decision = trial.decision
    if letter := _LETTERS.get(decision.status):
        yield VERDICT, {"value": letter, "explanation": inert(decision.reason)}
    if decision.status in _ERRORS:
        return
    for name, check in trial.checks():
        passed = check.is_met if check.status != "not_evaluated" else None
        if passed is not None:
            yield (
                name,
                {
                    "value": "C" if passed else "I",
                    "explanation": inert(check.reason),
                    "metadata": {"status": check.status, "required": check.required},
                },
            )


def _messages(reply: Reply) -> Iterator[JsonObject]:
    """The turn as a conversation.

    Yields:
        The prompt, tool calls round by round with what they gave, the answer.
    """
    yield {"role": "user", "content": inert(reply.prompt), "source": "input"}
    numbered = [
        (call.id or f"call-{reply.turn}-{number}", call)
        for number, call in enumerate(reply.tool_calls, 1)
    ]
    for step in dict.fromkeys(call.step for call in reply.tool_calls):
        calls = [(id, call) for id, call in numbered if call.step == step]
        yield {
            "role": "assistant",
            "content": "",
            "source": "generate",
            "tool_calls": [_call(id, call) for id, call in calls],
        }
        yield from (_result(id, call) for id, call in calls if call.status != "unknown")
    yield {"role": "assistant", "content": inert(reply.text), "source": "generate"}


def _call(id: str, call: ToolCall) -> JsonObject:
    made: JsonObject = {"id": id, "function": inert(call.name), "type": "function"}
    if isinstance(call.args, str):
        return made | {"arguments": {}, "parse_error": inert(call.args)}
    return made | {"arguments": inert_value(call.args)}


def _result(id: str, call: ToolCall) -> JsonObject:
    text = call.result if isinstance(call.result, str) else to_json(call.result).decode()
    message: JsonObject = {
        "role": "tool",
        "tool_call_id": id,
        "function": inert(call.name),
        "content": inert(text) if call.result is not None else "",
    }
    if call.status == "error":
        message["error"] = {"type": "unknown", "message": message["content"] or "error"}
    return message
