"""Runs a program in a sandbox, and tells the sandbox's failures from the program's."""

import asyncio

from harness.agents.processes import Limits, ProcessEnd, run_process
from harness.agents.protocol import AgentUnreachableError
from harness.agents.sandbox.gate import open_gate, reachable_ports
from harness.agents.sandbox.protocol import Enclosed, Job, Sandbox

_STOP_WITHIN_S = 60.0


async def run_sandboxed(sandbox: Sandbox, job: Job, limits: Limits) -> ProcessEnd:
    """Run a program in a sandbox to its end; when cancelled, nothing of it is left.

    Raises:
        AgentUnreachableError: The sandbox did not come up, or the program cannot be started in it.
        AgentFailedError: The program wrote more than it may.
    """
    async with open_gate(reachable_ports(job.block)) as gate:
        enclosed = sandbox.enclose(job, gate)
        gate.variables = enclosed.variables
        try:
            ended = await run_process(enclosed.command, limits)
        finally:
            await _stop(enclosed)
        if not gate.entered:
            last = ended.stderr_tail.strip().rpartition("\n")[2] or "it said nothing"
            raise AgentUnreachableError(
                f"the sandbox did not start (exit code {ended.exit_code}): {last}"
            )
        if gate.failure:
            raise AgentUnreachableError(
                f"cannot start {job.command.argv[0]!r} in the sandbox: {gate.failure}"
            )
        return ended


async def _stop(enclosed: Enclosed) -> None:
    if not enclosed.stop:
        return
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *enclosed.stop, env=enclosed.command.env, stdin=quiet, stdout=quiet, stderr=quiet
    )
    try:
        await asyncio.wait_for(asyncio.shield(process.wait()), _STOP_WITHIN_S)
    except TimeoutError:
        process.kill()
