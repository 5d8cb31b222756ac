"""The trees of forks that a run is in, read from run directories."""

from collections.abc import Iterable

from harness.errors import HarnessError
from harness.model import CaseDecision, ForkNode, ForkOrigin, RunManifest, TrialRecord, find_trial
from harness.model.facts import facts_of
from harness.storage import RunFolder

_DEEPEST = 32
"""Forks of forks of forks: so many are looked at."""


def fork_trees(folder: RunFolder) -> tuple[ForkNode, ...]:
    """What was forked from the trials of a run; of a fork, the tree that it is in.

    Args:
        folder: The run's; forks are beside it.

    Returns:
        A tree for each trial that something was forked from, by case and number.
    """
    manifest = folder.manifest()
    wanted = manifest.fork
    root, origin = folder, manifest.fork
    for _ in range(_DEEPEST):
        above = None if origin is None else root.path.parent / origin.run
        if above is None or not (above / "manifest.json").is_file():
            break
        root, wanted = RunFolder(above), origin
        origin = root.manifest().fork
    forks = [(each, each.manifest()) for each in root.forks()]
    if wanted is not None and root.path != folder.path:
        forks = [each for each in forks if _leaves_same(each[1].fork, wanted)]
    origins = {(each.fork.case, each.fork.number) for _, each in forks if each.fork is not None}
    return tuple(_root(root, case, number) for case, number in sorted(origins))


def _leaves_same(one: ForkOrigin | None, other: ForkOrigin) -> bool:
    return one is not None and (one.case, one.number) == (other.case, other.number)


def _root(folder: RunFolder, case: str, number: int) -> ForkNode:
    manifest = folder.manifest()
    decision = _decision(folder, manifest, case)
    trial = find_trial(decision.trials if decision is not None else (), number)
    record = folder.records().get(case, number)
    node = ForkNode(
        run=manifest.run,
        case=case,
        number=number,
        passed=int(trial is not None and trial.status == "pass"),
        valid=int(trial is not None and trial.status in {"pass", "fail", "agent_error"}),
        verdict="" if trial is None else trial.status,
        forks=_below(folder, case, number, 1),
    )
    return _with_figures(node, [record] if record is not None else [])


def _below(folder: RunFolder, case: str, number: int | None, depth: int) -> tuple[ForkNode, ...]:
    if depth > _DEEPEST:
        return ()
    found = []
    for each in folder.forks():
        manifest = each.manifest()
        fork = manifest.fork
        if fork is not None and fork.case == case and number in {None, fork.number}:
            found.append(_node(each, manifest, fork, depth))
    return tuple(found)


def _node(folder: RunFolder, manifest: RunManifest, fork: ForkOrigin, depth: int) -> ForkNode:
    decision = _decision(folder, manifest, fork.case)
    node = ForkNode(
        run=manifest.run,
        case=fork.case,
        fork=fork,
        passed=decision.passed if decision is not None else 0,
        valid=decision.valid if decision is not None else 0,
        verdict=decision.verdict if decision is not None else "",
        forks=_below(folder, fork.case, None, depth + 1),
    )
    return _with_figures(node, folder.records().of(fork.case))


def _decision(folder: RunFolder, manifest: RunManifest, case: str) -> CaseDecision | None:
    try:
        found = folder.decisions(manifest.policy) or ()
    except HarnessError:
        return None
    return next((each for each in found if each.case == case), None)


def _with_figures(node: ForkNode, records: Iterable[TrialRecord]) -> ForkNode:
    facts = [facts_of(record) for record in records]
    tokens = [each.tokens for each in facts if each.tokens is not None]
    costs = [each.cost_usd for each in facts if each.cost_usd is not None]
    figures = {"tokens": sum(tokens) if tokens else None, "cost_usd": sum(costs) if costs else None}
    return node.model_copy(update=figures)
