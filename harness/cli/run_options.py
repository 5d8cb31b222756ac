"""The options of `harness run`, each with the environment variable that means the same."""

import inspect
from collections.abc import Callable, Collection
from dataclasses import MISSING, dataclass, fields
from typing import TypeVar, get_type_hints

import typer

from harness.cli.options import (
    CHAT_URL,
    AgentOptions,
    CaseOptions,
    GateOptions,
    JudgeOptions,
    ReplayOptions,
    StoreOptions,
    TrialOptions,
    WorldOptions,
)

__all__ = ["CHAT_URL", "RunOptions", "with_run_options"]


@dataclass(frozen=True, kw_only=True)
class RunOptions(
    GateOptions,
    JudgeOptions,
    StoreOptions,
    TrialOptions,
    ReplayOptions,
    WorldOptions,
    CaseOptions,
    AgentOptions,
):
    """What `harness run` was told; None where nothing was said."""


Command = TypeVar("Command", bound=Callable[..., None])


def with_run_options(
    command: Callable[[typer.Context, RunOptions], None], *, without: Collection[str] = ()
) -> Callable[..., None]:
    """A command whose parameters are the fields of `RunOptions`, as typer reads them.

    Args:
        command: The command.
        without: Fields that it does not have as options.
    """
    hints = get_type_hints(RunOptions, include_extras=True)

    def run(ctx: typer.Context, **given: object) -> None:
        command(ctx, RunOptions(**given))  # type: ignore[arg-type]

    context = inspect.Parameter(
        "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    options = [
        inspect.Parameter(
            item.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if item.default is MISSING else item.default,
            annotation=hints[item.name],
        )
        for item in fields(RunOptions)
        if item.name not in without
    ]
    run.__signature__ = inspect.Signature([context, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {"ctx": typer.Context, **hints}
    run.__doc__ = command.__doc__
    return run
