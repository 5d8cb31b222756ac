"""Makes the sandbox that `--sandbox` names, and runs a program in it."""

import asyncio
from collections.abc import Mapping

from harness.agents.processes import Limits, ProcessEnd, run_process
from harness.agents.protocol import AgentUnreachableError
from harness.agents.sandbox.bubblewrap import Bubblewrap
from harness.agents.sandbox.docker import Docker
from harness.agents.sandbox.gate import open_gate, reachable_ports
from harness.agents.sandbox.protocol import Enclosed, Job, Sandbox, SandboxOptions
from harness.errors import HarnessError

KINDS = ("bubblewrap", "docker:IMAGE")


def read_sandbox(options: SandboxOptions, environ: Mapping[str, str]) -> Sandbox:
    """The sandbox that a spec names.

    Args:
        options: The spec, and what else is said.
        environ: Variables of this process.

    Raises:
        HarnessError: It names none, or what is to be read is not there.
    """
    for path in options.read:
        if not path.exists():
            raise HarnessError(f"--sandbox-read {str(path)!r} is not there")
    kind, colon, image = options.spec.partition(":")
    if kind == "bubblewrap" and not colon:
        return Bubblewrap(options, environ)
    if kind == "docker" and image:
        return Docker(options, image, environ)
    if kind == "docker":
        hint = "--sandbox docker:IMAGE, an image with python3 and what the agent needs"
        raise HarnessError("--sandbox docker names no image", hint=hint)
    raise HarnessError(f"unknown sandbox {options.spec!r}", hint=", ".join(KINDS))


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
