"""The bundled suites as `harness demo` shows them: which flaws their agents can be given."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.cli.run_options import RunOptions


@dataclass(frozen=True)
class Demo:
    """One bundled suite.

    Attributes:
        name: Its folder.
        about: What its agent is.
        flaws: The names of the flaws that its agent can be given.
        flawed: The flaw that `--flawed` gives it.
    """

    name: str
    about: str
    flaws: tuple[str, ...]
    flawed: str

    def options(
        self, fixtures: Path, flaw: str, trials: int, concurrency: int, run_dir: Path
    ) -> "RunOptions":
        """The options of its run."""
        from harness.cli.reference_agents import REFERENCE_AGENTS, free_port
        from harness.cli.run_options import RunOptions

        flawed = REFERENCE_AGENTS[self.name].with_flaw(flaw)
        reference = flawed.of(fixtures / self.name, free_port())
        return RunOptions(
            suite=fixtures / self.name,
            agent=reference.agent,
            serve=reference.serve,
            token=reference.token,
            profile=reference.profile,
            input=reference.input,
            env=list(reference.env) or None,
            tools=reference.tools,
            min_stability=reference.min_stability,
            timeout=reference.flawed_timeout if flaw else 180.0,
            trials=trials,
            concurrency=min(concurrency, reference.concurrency),
            run_dir=run_dir,
            note=f"demo, agent with flaw {flaw}" if flaw else "demo",
        )


DEMOS: Mapping[str, Demo] = {
    each.name: each
    for each in (
        Demo(
            "chrome-enterprise",
            "a chat agent that asks Google's Admin, Chrome and Cloud Identity APIs",
            ("all", "skips-tool", "invents-id", "ignores-page-token", "claims-write"),
            "all",
        ),
        Demo(
            "content-review",
            "a service that reviews texts against a standard",
            ("misses-rule", "wrong-status", "unstable-span", "bad-schema", "always-empty"),
            "misses-rule",
        ),
        Demo(
            "coding-tasks",
            "a coding agent that works in a folder of its own",
            ("forgets-file", "wrong-exit", "skips-tool", "too-many-rounds", "never-ends"),
            "forgets-file",
        ),
        Demo(
            "sre",
            "an agent that asks Google's Logging, Monitoring, Trace and Error Reporting APIs",
            ("skips-tool", "wrong-tool", "no-numbers", "crashes"),
            "no-numbers",
        ),
    )
}
"""Bundled suites, in the order they are shown."""
