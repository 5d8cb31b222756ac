"""`harness baselines`: the runs that later ones are held against."""

import typer

from harness.cli.options import RUNS, AsJson, RunDir


def baselines(*, run_dir: RunDir = RUNS, as_json: AsJson = False) -> None:
    """List baselines, suite by suite; the one that counts is marked.

    Example: harness baselines --json
    """
    from harness.storage import Baselines

    known = Baselines(run_dir)
    found = sorted(known.all(), key=lambda each: each.suite)
    current = {each.suite: known.of(each.suite) for each in found}
    if as_json:
        import orjson

        listed = [
            each.model_dump(mode="json") | {"current": current[each.suite] == each}
            for each in found
        ]
        options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        typer.echo(orjson.dumps(listed, option=options).decode(), nl=False)
        return
    for each in found:
        mark = "*" if current[each.suite] == each else " "
        note = f"  {each.note}" if each.note else ""
        typer.echo(f"{mark} {each.suite}  {each.run}  {each.agent}  {each.set_at}{note}")
    if not found:
        typer.echo("no baselines; make one with: harness baseline RUN")
