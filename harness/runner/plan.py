"""The plan of a run: which trials, in which order, which share of the cases, which id. Pure."""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from harness.errors import HarnessError
from harness.model import Case, JsonObject, Policy


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One trial that is to be run.

    Attributes:
        case: The case.
        number: Which of its trials, from 1.
    """

    case: Case
    number: int


def trial_counts(cases: Sequence[Case], trials: int | None) -> dict[str, int]:
    """Trials for each case: the number asked for, or each case's own."""
    return {case.id: trials or case.repeat for case in cases}


def plan_trials(
    cases: Sequence[Case],
    counts: Mapping[str, int],
    done: Collection[tuple[str, int]] = (),
) -> tuple[PlannedTrial, ...]:
    """All trials that are not done, interleaved: every case's first trial, then every second.

    So that something that changes slowly (a busy agent, a warming cache) meets all cases alike.
    """
    most = max(counts.values(), default=0)
    return tuple(
        PlannedTrial(case, number)
        for number in range(1, most + 1)
        for case in cases
        if number <= counts[case.id] and (case.id, number) not in done
    )


def check_enough(cases: Sequence[Case], counts: Mapping[str, int], policy: Policy) -> None:
    """Refuse a run whose trials are too few for a policy to decide anything.

    Args:
        cases: The cases.
        counts: Trials per case id.
        policy: Of cases without their own.

    Raises:
        HarnessError: pass^k was asked for, of fewer than k trials.
    """
    for case in cases:
        least = (case.policy or policy).pass_hat or 0
        if counts[case.id] < least:
            raise HarnessError(
                f"{case.id}: the policy pass_hat {least} is undefined for {counts[case.id]} trials",
                hint=f"-n {least}",
            )


def run_id(moment: datetime, request: JsonObject) -> str:
    """The id of a run: its start, and a hash of what was asked for.

    >>> run_id(datetime(2026, 11, 20, 10, 15, tzinfo=UTC), {"agent": "echo"})
    '20261120-101500-cae18a'
    """
    digest = hashlib.sha256(orjson.dumps(request, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return f"{moment.astimezone(UTC):%Y%m%d-%H%M%S}-{digest[:6]}"


def timestamp(moment: datetime) -> str:
    """A moment as RFC 3339, UTC, milliseconds.

    >>> timestamp(datetime(2026, 11, 20, 10, 15, tzinfo=UTC))
    '2026-11-20T10:15:00.000Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


_SHARD = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})")


def select_shard(cases: Sequence[Case], shard: str) -> tuple[Case, ...]:
    """Every n-th case, from the i-th: all shards together have each case once.

    Args:
        cases: The selected cases.
        shard: `i/n`, from `1/n` to `n/n`; empty takes them all.

    Raises:
        HarnessError: It is none of these.

    >>> select_shard((), "1/2")
    ()
    """
    if not shard:
        return tuple(cases)
    found = _SHARD.fullmatch(shard)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise HarnessError(f"--shard is {shard!r}", hint="i/n, such as 1/4, 2/4, 3/4 and 4/4")
    return tuple(cases[number - 1 :: of])
