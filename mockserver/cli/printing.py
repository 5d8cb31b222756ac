"""How the command line prints JSON."""

import orjson
import typer

from mockserver.model import Json


def print_json(value: Json) -> None:
    """Print a JSON value, indented by two spaces, as it is: no colours, so that it can be piped."""
    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
