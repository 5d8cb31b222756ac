"""A share of the cases, for one of several machines. Pure."""

import re
from collections.abc import Sequence

from harness.errors import HarnessError
from harness.model import Case

_SHARD = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})")


def shard_of(cases: Sequence[Case], shard: str) -> tuple[Case, ...]:
    """Every n-th case, from the i-th: all shards together have each case once.

    Args:
        cases: The selected cases.
        shard: `i/n`, from `1/n` to `n/n`; empty takes them all.

    Raises:
        HarnessError: It is none of these.

    >>> shard_of((), "1/2")
    ()
    """
    if not shard:
        return tuple(cases)
    found = _SHARD.fullmatch(shard)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise HarnessError(f"--shard is {shard!r}", hint="i/n, such as 1/4, 2/4, 3/4 and 4/4")
    return tuple(cases[number - 1 :: of])
