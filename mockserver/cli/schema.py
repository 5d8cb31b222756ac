"""`mockserver schema`: the JSON Schemas of files that users write, for editors."""

from enum import StrEnum
from typing import Annotated

import typer

from mockserver.commands import print_json


class Of(StrEnum):
    """What there is a schema of."""

    SNAPSHOT = "snapshot"
    API = "api"
    MODEL = "model"


def schema(
    of: Annotated[Of, typer.Argument(help="The kind of file to describe.")],
    *,
    resources: Annotated[
        list[str] | None,
        typer.Option(
            help="A Discovery document, such as calendar:v3, whose `resources` to describe field by"
            " field; may be repeated."
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of snapshot files, of a declared API, or of a scripted model.

    Example: mockserver schema snapshot --resources calendar:v3 > snapshot.schema.json, then write

    as the first key of a file: "$schema": "../snapshot.schema.json"
    """
    from mockserver.apis import APIS

    if of is Of.API:
        from mockserver.declared.declaration import declaration_schema

        print_json(declaration_schema())
        return
    if of is Of.MODEL:
        from mockserver.models.script import script_schema

        print_json(script_schema())
        return
    from mockserver.snapshots.schema import snapshot_schema

    print_json(snapshot_schema(APIS, resources or ()))
