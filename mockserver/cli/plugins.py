"""`understudy plugins`: what installed packages add, and what of it is left out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.plugins import InstalledPlugin


def plugins(*, as_json: AsJson = False) -> None:
    """List installed plug-ins, and the ones that are left out.

    A plug-in adds an API, a case format, a kind of agent, a check, a report, a format of recordings
    or rules of redaction. The command loads each one and checks it against its contract. Write one
    with `understudy init --plugin check`.

    Example: understudy plugins
    """
    from mockserver.plugins import plugin_states

    states = plugin_states()
    if as_json:
        print_json(states)
        return
    for line in _lines(states):
        typer.echo(line)


def _lines(states: "list[InstalledPlugin]") -> Iterator[str]:
    if not states:
        yield "no plug-ins are installed; understudy init --plugin check writes one"
    names = [each.name for each in states]
    width = max(map(len, names), default=0)
    for each in states:
        group = each.group.removeprefix("understudy.")
        yield f"{group:<10}  {each.name:<{width}}  {each.distribution} {each.version}"
        if each.problem:
            yield f"{'':<10}  left out: {each.problem}"
