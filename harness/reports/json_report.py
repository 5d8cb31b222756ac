"""The JSON report: our own fields, beside those of the registry format and of the coding format."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from statistics import fmean
from typing import cast, get_args

from pydantic_core import to_json

from harness.checks import class_of
from harness.checks.grounding import check_grounding
from harness.checks.patterns import PatternNumbers, PatternRow, Patterns
from harness.checks.quality import Rubric, RubricNumbers
from harness.checks.reply_schema import ReplySchema, SchemaNumbers
from harness.checks.witness_alignment import WITNESS_NAMES
from harness.checks.witnesses import report_witnesses
from harness.model import (
    Case,
    CaseDecision,
    CaseVerdict,
    CheckResult,
    Grounding,
    Json,
    JsonObject,
    Records,
    Reply,
    RunResult,
    ToolCall,
    TrialDecision,
    TrialRecord,
    TrialStatus,
    pair_by_number,
    select_trials,
    trial_scores,
    trial_shapes,
)
from harness.reports.coverage import coverage_json
from harness.reports.failures import (
    case_classes,
    class_counts,
    failures,
    remedies,
    trial_classes,
)
from harness.reports.figures import (
    Figures,
    MadeUpAnswers,
    always_failing,
    by_attribution,
    by_category,
    figures,
    flaky,
    is_synthetic,
    made_up_answers,
    recoveries,
    retries,
    witness_counts,
)
from harness.reports.judges import judgements

_OUTSIDE = {"not_evaluated", "infra_error", "replay_miss", "skipped"}


def task_result(case: Case, trial: TrialDecision, record: TrialRecord | None) -> JsonObject:
    """One trial as the result of a task.

    `taskId`, `taskCategory`, `passed`, `score` (0 to 1; null outside of the rates), `durationMs`,
    `tokensUsed` and `costUsd` (null where the agent does not say), `toolCallsMade`, `error` (null
    on a pass), and `details`: for each check `check`, `passed`, `expected` and `actual`.
    """
    usages = [reply.usage for reply in record.replies] if record else []
    tokens = [
        used
        for usage in usages
        for used in (usage.input_tokens, usage.output_tokens)
        if used is not None
    ]
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return {
        "taskId": case.id,
        "taskCategory": case.category,
        "passed": trial.status == "pass",
        "score": trial.score,
        "durationMs": round(record.duration_ms, 3) if record else 0,
        "tokensUsed": sum(tokens) if tokens else None,
        "costUsd": sum(costs) if costs else None,
        "toolCallsMade": len(record.tool_calls) if record else 0,
        "error": trial.reason or None,
        "details": [row for check in trial.checks for row in _details(check)],
    }


def category_scores(result: RunResult) -> dict[str, JsonObject]:
    """For each category, in alphabetical order: trials `passed` and `failed`, and `avgScore`."""
    found: dict[str, list[CaseDecision]] = {}
    for case, decision in zip(result.cases, result.decisions, strict=True):
        found.setdefault(case.category, []).append(decision)
    return {name: _score_figures(found[name]) for name in sorted(found)}


def mean_score(scores: Iterable[float | None]) -> float | None:
    """The mean of the scores of trials that have one; None when none has."""
    known = array("d", (score for score in scores if score is not None))
    return fmean(known) if known else None


def _score_figures(decisions: Sequence[CaseDecision]) -> JsonObject:
    statuses = Counter(shape.status for each in decisions for shape in trial_shapes(each.trials))
    valid = sum(count for status, count in statuses.items() if status not in _OUTSIDE)
    passed = statuses["pass"]
    scores = (score for each in decisions for score in trial_scores(each.trials))
    return {"passed": passed, "failed": valid - passed, "avgScore": mean_score(scores)}


def _details(check: CheckResult) -> Iterator[JsonObject]:
    rows: list[PatternRow] = []
    if check.kind == Patterns.kind_name():
        rows = cast("PatternNumbers", check.numbers).get("details", [])
    for row in rows:
        yield {
            "check": "pattern",
            "passed": row["passed"],
            "expected": row["pattern"],
            "actual": row["detail"],
        }
    if not rows:
        yield {
            "check": check.kind,
            "passed": check.is_met,
            "expected": _expected_text(check),
            "actual": check.reason or "as expected",
        }


def _expected_text(check: CheckResult) -> str:
    named = class_of(check.kind).expected_numbers
    return ", ".join(f"{name} {check.numbers[name]}" for name in named if name in check.numbers)


VERSION = 1


def json_report(result: RunResult) -> str:
    """The whole run as indented JSON, in run order."""
    return "".join(json_parts(result))


def json_parts(result: RunResult) -> Iterator[str]:
    """The same text in parts, for runs of any number of trials.

    Yields:
        Text; not more than what is said of one trial at once.
    """
    head = _indented(_head(result) | {"cases": []})
    if not result.cases:
        yield f"{head}\n"
        return
    yield head.removesuffix("]\n}")
    before = "\n    "
    decisions = {decision.case: decision for decision in result.decisions}
    for case in result.cases:
        yield before
        yield from _case_parts(result, case, decisions[case.id])
        before = ",\n    "
    yield "\n  ]\n}\n"


def _case_parts(result: RunResult, case: Case, decision: CaseDecision) -> Iterator[str]:
    head = _case_head(case, decision, result.manifest.cases, result.records)
    text = _indented(head | {"trials": []}).replace("\n", "\n    ")
    if not decision.trials:
        yield text
        return
    yield text.removesuffix("]\n    }")
    before = "\n        "
    for trial, record in pair_by_number(decision.trials, result.records.of(case.id)):
        yield before
        yield _indented(_trial(case, trial, record)).replace("\n", "\n        ")
        before = ",\n        "
    yield "\n      ]\n    }"


def _indented(value: JsonObject) -> str:
    # numbers of any size and not-a-number may come from an agent; JSON has no word for the latter
    return to_json(value, indent=2, inf_nan_mode="null").decode()


def report_of(result: RunResult) -> JsonObject:
    """The same as a JSON object.

    Each case has `caseId`, `title`, `category`, `tags`, and the prompt, reply and figures of its
    first trial that did not pass (or its first): `prompt`, `responseText`, `responseMetadata`,
    `schemaMatched` and `rubricScore` (null where the case asks for none), `status` (`pass` or
    `fail`), `durationMs` (milliseconds), `error`. `verdict` and each trial's `trialStatus` tell
    more than pass and fail.
    """
    return _head(result) | {"cases": list(_cases(result))}


def _cases(result: RunResult) -> Iterator[JsonObject]:
    decisions = {decision.case: decision for decision in result.decisions}
    for case in result.cases:
        yield _case(case, decisions[case.id], result.manifest.cases, result.records)


def _head(result: RunResult) -> JsonObject:
    """What the report says before its cases."""
    manifest = result.manifest
    return {
        "version": VERSION,
        "runId": manifest.run,
        "suite": manifest.suite,
        "agent": manifest.agent,
        "note": manifest.note,
        "startedAt": manifest.started_at,
        "versions": manifest.versions,
        "policy": manifest.policy,
        "folder": result.place or result.folder,
        "interrupted": result.interrupted,
        "synthetic": is_synthetic(result),
        "exitReasons": [reason.model_dump() for reason in result.exit_reasons],
        "summary": _summary(result),
        "comparison": result.comparison.model_dump(mode="json") if result.comparison else None,
        "statistics": result.statistics.model_dump(mode="json") if result.statistics else None,
        **({"forks": [each.model_dump(mode="json") for each in result.forks]}
           if result.forks else {}),
    }  # fmt: skip


def _summary(result: RunResult) -> JsonObject:
    return {
        **_counts(figures(result)),
        "byCategory": {name: _counts(each) for name, each in by_category(result).items()},
        "perCategory": category_scores(result),
        "failures": [
            {
                "caseId": failure.case.id,
                "title": failure.case.title,
                "category": failure.case.category,
                "verdict": failure.decision.verdict,
                "failureClasses": list(failure.classes),
                "error": failure.decision.reason,
            }
            for failure in failures(result)
        ],
        "byFailureClass": class_counts(result),
        "byAttribution": by_attribution(result),
        "judges": [asdict(each) for each in judgements(result)],
        "clusters": [cluster.model_dump(mode="json") for cluster in result.clusters],
        "alwaysFailing": always_failing(result),
        "flaky": flaky(result),
        "faultsNotMet": list(result.faults_not_met),
        "recordingsUnused": list(result.recordings_unused),
        "recordingsDoubtful": list(result.recordings_doubtful),
        "addressesRefused": list(result.addresses_refused),
        "retries": retries(result),
        "witnesses": dict(
            zip(("compared", "agreeing", "notComparable"), witness_counts(result), strict=True)
        ),
        "madeUp": _made_up(made_up_answers(result)),
        "recovery": [asdict(each) for each in recoveries(result)],
        "custody": {
            "protected": all(each.protected for each in result.custody),
            "strangers": [
                each.model_dump(include={"attempt", "reason", "status"})
                for time in result.custody
                for each in time.attempts
            ],
            "planted": [file for time in result.custody for file in time.planted],
            "changed": [file for time in result.custody for file in time.changed],
        },
        "coverage": coverage_json(result),
        "canaries": [each.model_dump(include={"when", "error"}) for each in result.canaries],
        "remedies": [f"{remedy.name}: {remedy.what}" for remedy, _ in remedies(result)],
    }


def _made_up(found: MadeUpAnswers) -> JsonObject:
    return {
        "answers": found.answers,
        "madeUp": sum(found.methods.values()),
        "byMethod": dict(found.methods),
        "checks": list(found.notes),
    }


def _counts(counts: Figures) -> JsonObject:
    return {
        "cases": {
            "total": counts.cases,
            **{verdict: counts.verdicts.get(verdict, 0) for verdict in get_args(CaseVerdict)},
        },
        "trials": {
            "total": counts.trials,
            "valid": counts.valid,
            **{status: counts.statuses.get(status, 0) for status in get_args(TrialStatus)},
        },
        "synthetic": counts.synthetic,
        "notEvaluated": counts.not_evaluated,
        "caseRate": counts.case_rate(),
        "trialRate": counts.trial_rate(),
    }


def _case(
    case: Case, decision: CaseDecision, hashes: Mapping[str, str], records: Records
) -> JsonObject:
    pairs = pair_by_number(decision.trials, records.of(case.id))
    trials = [_trial(case, trial, record) for trial, record in pairs]
    return _case_head(case, decision, hashes, records) | {"trials": trials}


def _case_head(
    case: Case, decision: CaseDecision, hashes: Mapping[str, str], records: Records
) -> JsonObject:
    """What the report says of a case before its trials."""
    others = select_trials(decision.trials, lambda shape: shape.status != "pass")
    shown = next(chain(others, decision.trials), None)
    record = records.get(case.id, shown.number) if shown else None
    return {
        "caseId": case.id,
        "title": case.title,
        "category": case.category,
        "tags": list(case.tags),
        "hash": hashes.get(case.id, ""),
        "verdict": decision.verdict,
        **_chrome_fields(case, shown, record),
        "status": "pass" if decision.verdict == "passed" else "fail",
        "error": decision.reason if decision.verdict != "passed" else None,
        "failureClasses": list(case_classes(decision)),
        "valid": decision.valid,
        "passed": decision.passed,
    }


def _trial(case: Case, trial: TrialDecision, record: TrialRecord | None) -> JsonObject:
    return {
        "number": trial.number,
        "trialStatus": trial.status,
        "notEvaluated": trial.not_evaluated,
        "attribution": trial.attribution,
        **_chrome_fields(case, trial, record),
        "failureClasses": list(trial_classes(trial)),
        "task": task_result(case, trial, record),
        "checks": [check.model_dump(mode="json") for check in trial.checks],
        "turns": [_turn(reply) for reply in record.replies] if record else [],
        "witnesses": _witnesses(case, record),
        "grounding": _grounding(case, record),
        "attempts": len(record.attempts) if record else 0,
        "synthetic": bool(record and record.synthetic),
    }


def _witnesses(case: Case, record: TrialRecord | None) -> JsonObject | None:
    """What the witnesses of a trial tell; None where fewer than two told of tool calls.

    `present` names them, `required` is whether the case asks that they agree, `agree` is null where
    they cannot be compared and `notComparable` says why, `findings` holds each kind of discrepancy,
    and `calls` each call with its `name` and how each witness tells it:
    `status` and `args`, or null.
    """
    told = report_witnesses(record, case.expect) if record else None
    if told is None:
        return None
    return {
        "present": [name for name in WITNESS_NAMES if name in told.alignment.present],
        "required": told.required,
        "agree": told.agree,
        "notComparable": told.incomparable,
        "findings": dict(told.findings),
        "calls": [
            {"name": each.name} | {name: _sighting(getattr(each, name)) for name in WITNESS_NAMES}
            for each in told.alignment.sightings
        ],
    }


def _grounding(case: Case, record: TrialRecord | None) -> JsonObject | None:
    """What the answers of a trial quote; None where that cannot be told.

    `sources` says where each quotation first stands, `ungrounded` lists those without a source.
    """
    rules = [each for each in case.expect if isinstance(each, Grounding)] or [Grounding()]
    told = [check_grounding(record, rule) for rule in rules] if record else []
    known = [each for each in told if each.status != "not_evaluated" and each.numbers["quoted"]]
    if not known:
        return None
    sources = {piece: text for each in known for piece, text in each.numbers["sources"].items()}
    missing = dict.fromkeys(piece for each in known for piece in each.numbers["ungrounded"])
    return {"sources": sources, "ungrounded": list(missing)}


def _sighting(call: ToolCall | None) -> JsonObject | None:
    return None if call is None else {"status": call.status, "args": call.args}


def _chrome_fields(
    case: Case, trial: TrialDecision | None, record: TrialRecord | None
) -> JsonObject:
    replies: Sequence[Reply] = record.replies if record else ()
    prompts = [reply.prompt for reply in replies] or [turn.user for turn in case.turns]
    checks = trial.checks if trial else ()
    graded = next((check for check in checks if check.kind == Rubric.kind_name()), None)
    rubric = cast("RubricNumbers", graded.numbers if graded else {})
    return {
        "prompt": "\n\n".join(prompts),
        "responseText": record.text if record else "",
        "responseMetadata": next(
            (each.metadata for each in reversed(replies) if each.metadata), None
        ),
        "schemaMatched": _schema_matched(checks),
        "rubricScore": rubric.get("score"),
        "rubricCriteria": rubric.get("criteria"),
        "rubricMinScore": rubric.get("min_score"),
        "status": "pass" if trial and trial.status == "pass" else "fail",
        "durationMs": round(record.duration_ms, 3) if record else 0,
        "error": (trial.reason if trial else "no trial") or None,
    }


def _schema_matched(checks: Sequence[CheckResult]) -> bool | None:
    asked = [check for check in checks if check.kind == ReplySchema.kind_name()]
    found = [cast("SchemaNumbers", check.numbers).get("matched", False) for check in asked]
    return all(found) if found else None


def _turn(reply: Reply) -> JsonObject:
    calls: Json = [call.model_dump(mode="json", exclude={"turn"}) for call in reply.tool_calls]
    return {
        "turn": reply.turn,
        "prompt": reply.prompt,
        "responseText": reply.text,
        "responseMetadata": reply.metadata,
        "toolCalls": calls,
        "rounds": reply.rounds,
        "finish": reply.finish,
        "usage": reply.usage.model_dump(mode="json"),
        "durationMs": round(reply.duration_ms, 3),
    }
