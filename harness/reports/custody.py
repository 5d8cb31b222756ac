"""What a reader must know before trusting a run's evidence."""

from harness.model import RunResult

OPEN = "the mock server had no control token, so the agents could have changed what it tells"


def custody_lines(result: RunResult) -> list[str]:
    """What speaks against the evidence of a run, one line each; none where all is in order."""
    open_ones = any(not each.protected for each in result.custody)
    attempts = [
        f"refused to an unknown caller: {each.attempt} ({each.status})"
        for time in result.custody
        for each in time.attempts
    ]
    planted = [
        f"not the harness's, and set aside: {file}"
        for time in result.custody
        for file in time.planted
    ]
    changed = [
        f"not what the harness wrote: {file}" for time in result.custody for file in time.changed
    ]
    return [OPEN] * open_ones + attempts + planted + changed
