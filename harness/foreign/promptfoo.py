"""Results of `promptfoo eval -o results.json`: a test with a prompt is a case."""

from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json

from harness.checks.scores import VERDICT
from harness.foreign.results import (
    ImportedResults,
    ImportedTrial,
    ReadOptions,
    chosen_agent,
    count_of,
    list_of,
    object_of,
    own_facts,
    own_run,
    rfc3339,
    text_of,
    unique_scores,
)
from harness.foreign.source import SourceFile
from harness.model import Json, JsonObject, Reply, Score, Usage
from mockserver.traces import finite

_ERROR = 2
"""`failureReason` of a result whose provider or assertion broke."""


def recognises(source: SourceFile) -> bool:
    """Whether a file is what promptfoo writes."""
    if not source.looks_like_json or b'"results"' not in source.content:
        return False
    inner = object_of(object_of(source.json).get("results"))
    return isinstance(inner.get("results"), list) and ("stats" in inner or "prompts" in inner)


def read(source: SourceFile, options: ReadOptions) -> ImportedResults:
    """Read the results of one provider.

    What repeats a test with the same prompt is a trial of its own.

    Raises:
        HarnessError: It has no result, or those of several providers and none is chosen.
    """
    whole = object_of(source.json)
    inner, config = object_of(whole.get("results")), object_of(whole.get("config"))
    results = [object_of(each) for each in list_of(inner.get("results"))]
    if not results:
        raise source.error("has no result in it")
    agent = chosen_agent(source, [_provider(each) for each in results], options.agent)
    mine = [each for each in results if not agent or _provider(each) == agent]
    prompts = {_prompt(each)[0] for each in mine}
    metadata = object_of(whole.get("metadata"))
    version = metadata.get("promptfooVersion")
    trials = [_trial(each, name_prompt=len(prompts) > 1) for each in mine]
    return ImportedResults(
        **{
            "suite": str(config.get("description") or "promptfoo"),
            "agent": agent,
            "tool": f"promptfoo {version}" if version else "promptfoo",
            "started_at": rfc3339(inner.get("timestamp")),
            "trials": trials,
            **own_run(object_of(config.get("metadata"))),
        }
    )


def _provider(result: JsonObject) -> str:
    provider = result.get("provider")
    if isinstance(provider, str):
        return provider
    return str(object_of(provider).get("label") or object_of(provider).get("id") or "")


def _prompt(result: JsonObject) -> tuple[str, str]:
    """The label of a prompt, and its text."""
    prompt = object_of(result.get("prompt"))
    return text_of(prompt.get("label")), text_of(prompt.get("raw"))


def _trial(result: JsonObject, *, name_prompt: bool) -> ImportedTrial:
    test = object_of(result.get("testCase"))
    variables = object_of(result.get("vars")) or object_of(test.get("vars"))
    named = ", ".join(f"{name}={text_of(each)}" for name, each in variables.items())
    label, raw = _prompt(result)
    case = str(test.get("description") or "") or named or label or "test"
    grading = object_of(result.get("gradingResult"))
    reason = text_of(grading.get("reason"))
    broken = result.get("failureReason") == _ERROR or (result.get("error") and not grading)
    verdict = Score(
        name=VERDICT,
        passed=bool(result.get("success")),
        value=finite(result.get("score")),
        reason="" if result.get("success") else reason or text_of(result.get("error")),
    )
    scores = (*(() if broken else (verdict,)), *_scores(grading))
    facts: dict[str, Any] = {
        "case": f"{case} [{label}]" if name_prompt and label != case else case,
        "turns": tuple(_turns(raw)),
        "outcome": "infra_error" if broken else "replied",
        "error": text_of(result.get("error")) if broken else "",
        "duration_ms": finite(result.get("latencyMs")) or 0,
        "agent_ms": finite(result.get("latencyMs")) or 0,
        "replies": () if broken else (_reply(result, raw),),
        "scores": unique_scores(scores),
    }
    return ImportedTrial(**facts | own_facts(object_of(test.get("metadata")), facts["scores"]))


def _turns(raw: str) -> Iterator[str]:
    """The texts of the user: a prompt may be a conversation as JSON.

    Yields:
        One text a turn.
    """
    if raw.lstrip().startswith("[{"):
        try:
            messages = [object_of(each) for each in list_of(from_json(raw))]
        except ValueError:
            messages = []
        told = [text_of(each.get("content")) for each in messages if each.get("role") == "user"]
        if told:
            yield from told
            return
    yield raw


def _reply(result: JsonObject, raw: str) -> Reply:
    response = object_of(result.get("response"))
    used = object_of(response.get("tokenUsage")) or object_of(result.get("tokenUsage"))
    sides = count_of(used.get("prompt")), count_of(used.get("completion"))
    total = count_of(used.get("total"))
    apart = any(sides)
    return Reply(
        turn=1,
        prompt=raw,
        text=text_of(response.get("output")),
        reports_calls=False,
        usage=Usage(
            input_tokens=sides[0] if apart else None,
            output_tokens=sides[1] if apart else None,
            total_tokens=total if total and not apart else None,
            cost_usd=finite(result.get("cost")) or None,
        ),
        duration_ms=finite(result.get("latencyMs")) or 0,
    )


def _scores(grading: JsonObject) -> Iterator[Score]:
    for component in map(object_of, list_of(grading.get("componentResults"))):
        assertion = object_of(component.get("assertion"))
        passed: Json = component.get("pass")
        yield Score(
            name=str(assertion.get("metric") or assertion.get("type") or "assertion"),
            passed=passed if isinstance(passed, bool) else None,
            value=finite(component.get("score")),
            reason="" if passed else text_of(component.get("reason")),
        )
    for name, value in object_of(grading.get("namedScores")).items():
        if name and (figure := finite(value)) is not None:
            yield Score(name=name, value=figure)
