"""Sandboxes for agents that are programs: `--sandbox bubblewrap` and `--sandbox docker:IMAGE`."""

from harness.agents.sandbox.protocol import Job, Sandbox, SandboxOptions
from harness.agents.sandbox.running import read_sandbox, run_sandboxed

__all__ = ["Job", "Sandbox", "SandboxOptions", "read_sandbox", "run_sandboxed"]
