"""When a case passes, by how many of its trials did."""

from math import comb

from harness.model import Policy

_ALL = "all"
_NOTHING = 1e-9
"""0.1 * 3 is a little more than 0.3."""


def holds(policy: Policy, passed: int, valid: int) -> bool | None:
    """Whether a policy is met by so many passes of so many valid trials (at least one).

    None where too few trials are valid to say: pass^k of fewer than k trials is undefined, and k is
    never lowered.

    >>> holds(Policy(rate=0.8), 4, 5), holds(Policy(pass_="majority"), 1, 2)
    (True, False)
    >>> [holds(Policy(pass_hat=3, min=0.4), passed, valid) for passed, valid in ((4, 5), (2, 2))]
    [True, None]
    """
    if policy.pass_hat is not None and policy.min is not None:
        if valid < policy.pass_hat:
            return None
        share = comb(passed, policy.pass_hat) / comb(valid, policy.pass_hat)
        return share >= policy.min - _NOTHING
    if policy.rate is not None:
        return passed >= policy.rate * valid - _NOTHING
    return passed == valid if policy.pass_ == _ALL else passed * 2 > valid


def too_few(policy: Policy, valid: int) -> str:
    """Why so many valid trials decide nothing under a policy, or an empty string."""
    if policy.pass_hat is None or valid >= policy.pass_hat or not valid:
        return ""
    return f"the policy pass_hat {policy.pass_hat} is undefined for {valid} valid trials"
