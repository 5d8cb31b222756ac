"""A run that is made of the results of another tool."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from harness.agents import without_secrets
from harness.cases import case_hash
from harness.environment import redact_records
from harness.foreign import ImportedResults, ImportedTrial, ReadOptions, assemble_run
from harness.model import Case, JsonObject, Origin, Policy, Reply, RunManifest
from harness.runner.plan import check_enough, run_id, timestamp
from harness.runner.run import free_name
from harness.runner.settings import written_policy
from harness.runner.trial import Clock
from harness.storage import RunFolder

UNKNOWN_AGENT = "unknown"


@dataclass(frozen=True, slots=True)
class ImportTerms:
    """What the user says in the place of the file.

    Attributes:
        suite: The run's suite; empty takes the file's.
        agent: The run's agent; empty takes the file's.
        note: Why the run was made; empty takes the file's.
        policy: When a case passes; None takes the file's, or `all`.
    """

    suite: str = ""
    agent: str = ""
    note: str = ""
    policy: Policy | None = None


def redacted_results(
    results: ImportedResults, rules: Path | None = None
) -> tuple[ImportedResults, int]:
    """Results without secrets, with one pseudonym for a value in all of them.

    Args:
        results: The results.
        rules: The user's own rules of redaction; where none are named, those of this folder.

    Returns:
        The results, and how many different values were replaced.

    Raises:
        HarnessError: Something secret is left, or the rules cannot be read.
    """
    several, replaced = redact_records(map(_facts, results.trials), rules)
    trials = [_with_facts(*both) for both in zip(results.trials, several, strict=True)]
    return replace(results, trials=tuple(trials)), replaced


def _facts(trial: ImportedTrial) -> JsonObject:
    """What people, agents and tools wrote; names of scores decide, and are no content."""
    return {
        "case": trial.case,
        "title": trial.title,
        "category": trial.category,
        "tags": list(trial.tags),
        "turns": list(trial.turns),
        "error": trial.error,
        "replies": [reply.model_dump(mode="json") for reply in trial.replies],
        "reasons": [score.reason for score in trial.scores],
    }


def _with_facts(trial: ImportedTrial, facts: JsonObject) -> ImportedTrial:
    scores = zip(trial.scores, facts["reasons"], strict=True)
    return replace(
        trial,
        case=facts["case"],
        title=facts["title"],
        category=facts["category"],
        tags=tuple(facts["tags"]),
        turns=tuple(facts["turns"]),
        error=facts["error"],
        replies=tuple(map(Reply.model_validate, facts["replies"])),
        scores=tuple(score.model_copy(update={"reason": reason}) for score, reason in scores),
    )


def import_run(
    results: ImportedResults,
    origin: Origin,
    options: ReadOptions,
    terms: ImportTerms,
    runs: Path,
    clock: Clock,
) -> RunFolder:
    """Make the directory of a run with the trials of a file of results.

    The run's id tells when it was started; where the file does not, when it was imported.

    Raises:
        HarnessError: The directory cannot be made, or a policy needs more trials than there are.
    """
    cases, records = assemble_run(results, options)
    policy = terms.policy or results.policy or Policy.model_validate({"pass": "all"})
    counts = Counter(record.case for record in records)
    check_enough(cases, counts, policy)
    highest = {case.id: 0 for case in cases}
    for record in records:
        highest[record.case] = max(highest[record.case], record.number)
    agent = terms.agent or results.agent or UNKNOWN_AGENT
    manifest = RunManifest(
        run="",
        suite=terms.suite or results.suite,
        agent=without_secrets(agent),
        cases={case.id: _hash_of(case) for case in cases},
        trials=highest,
        policy=written_policy(policy),
        versions={"imported from": results.tool or origin.format},
        note=terms.note or results.note or f"imported from {origin.file} ({origin.format})",
        suite_cases=len(cases),
        origin=origin,
    )
    moment = datetime.fromisoformat(results.started_at) if results.started_at else clock()
    name = free_name(runs, run_id(moment, manifest.model_dump(mode="json")))
    named = {
        "run": name,
        "started_at": timestamp(moment.astimezone(UTC)) if results.started_at else "",
    }
    folder = RunFolder.create(runs / name, manifest.model_copy(update=named), cases)
    for record in records:
        known = {"run": name, "case_hash": manifest.cases[record.case]}
        folder.write_trial(record.model_copy(update=known))
    return folder


def _hash_of(case: Case) -> str:
    """Further scores, which tools give some trials and not others, make no case another one."""
    required = tuple(each for each in case.expect if each.required)
    return case_hash(case.model_copy(update={"expect": required}))
