"""`understudy doctor`, which is `understudy doctor`: whether this machine is ready."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.cli.machine import Finding

_MARKS = {"ok": "ok  ", "note": "note", "warning": "WARN", "problem": "FAIL"}


def doctor(
    *,
    as_json: AsJson = False,
) -> None:
    """Check this machine for problems, and show how to fix them.

    Looks at the installation, the proxy variables of this shell, the certificate authority, ports,
    the HTTP clients that are installed, and extras. Nothing is changed, and nobody is asked over
    the network. Exit code 1 when there is a problem.

    Example: understudy doctor
    """
    import os

    from mockserver.cli.machine import examine_machine
    from mockserver.http.server import real_time

    found = list(examine_machine(os.environ, real_time()))
    problems = sum(each.level == "problem" for each in found)
    if as_json:
        print_json(found)
    else:
        typer.echo(_text(found, problems))
    if problems:
        raise typer.Exit(1)


def _text(found: "Sequence[Finding]", problems: int) -> str:
    lines = []
    topic = ""
    for each in found:
        if each.topic != topic:
            topic = each.topic
            lines.append(topic)
        lines.append(f"  {_MARKS[each.level]}  {each.text}")
        if each.mend:
            lines.append(f"        {each.mend}")
    warnings = sum(each.level == "warning" for each in found)
    lines.append(f"{problems} problems, {warnings} warnings")
    return "\n".join(lines)
