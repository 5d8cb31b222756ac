"""Sandboxes for agents that are programs: `--sandbox bubblewrap` and `--sandbox docker:IMAGE`."""

from harness.agents.sandbox.kinds import KINDS, read_sandbox
from harness.agents.sandbox.protocol import Job, Sandbox, SandboxOptions
from harness.agents.sandbox.running import run_sandboxed

__all__ = ["KINDS", "Job", "Sandbox", "SandboxOptions", "read_sandbox", "run_sandboxed"]
