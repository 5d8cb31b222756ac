"""One option of `harness run`, with the environment variable that means the same."""

from typing import Any

import typer


def option(*names: str, panel: str, env: str | None = None, help: str, **limits: float) -> Any:
    """An option as typer reads it.

    Args:
        names: As they are given, `--trials`, `-n`.
        panel: The group it is shown in.
        env: The variable that means the same.
        help: What it does.
        limits: `min` and `max` of a number.
    """
    return typer.Option(*names, envvar=env, help=help, rich_help_panel=panel, **limits)  # type: ignore[arg-type]
