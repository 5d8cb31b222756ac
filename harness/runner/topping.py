"""Runs trials until a comparison with a baseline is decided."""

import asyncio

from harness.runner.outcomes import looked
from harness.runner.run import Against, Progress, missing, perform
from harness.runner.trial import RunContext
from harness.storage import RunFolder
from harness.verdicts import decide_run


async def perform_until_decided(
    context: RunContext,
    folder: RunFolder,
    against: Against,
    progress: Progress,
    stop: asyncio.Event,
) -> None:
    """Run the trials that are missing, look, and run further ones while that decides nothing.

    The run's manifest tells how many trials each case has been given, so that a run that is
    resumed goes on where it was.

    Raises:
        InfrastructureError: Nothing could be run, or a record cannot be written.
    """
    cases = folder.cases()
    while True:
        await perform(context, folder, missing(folder, cases), progress, stop)
        if stop.is_set():
            return
        found = decide_run(folder.manifest(), cases, folder.records())
        wanted = looked(against.baseline, found, against.terms).wanted
        if not wanted:
            return
        folder.extend(wanted)
