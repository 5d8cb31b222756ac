"""The kinds of sandbox, by the names that `--sandbox` takes."""

from collections.abc import Mapping

from harness.agents.sandbox.bubblewrap import Bubblewrap
from harness.agents.sandbox.docker import Docker
from harness.agents.sandbox.protocol import Sandbox, SandboxOptions
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
