"""`mockserver schema`: the JSON Schemas of files that users write, for editors."""

from enum import StrEnum
from typing import Annotated

import typer


class Of(StrEnum):
    """What there is a schema of."""

    SNAPSHOT = "snapshot"
    API = "api"


def schema(
    of: Annotated[Of, typer.Argument(help="What the schema describes.")],
    *,
    resources: Annotated[
        list[str] | None,
        typer.Option(
            help="A Discovery document, such as calendar:v3, whose `resources` are described field"
            " by field; may be given more than once."
        ),
    ] = None,
) -> None:
    """Print a JSON Schema: of a file of a snapshot (base, overrides.json), or of a declared API.

    Example: mockserver schema snapshot --resources calendar:v3 > snapshot.schema.json, then write

    as the first key of a file: "$schema": "../snapshot.schema.json"
    """
    from mockserver.apis import APIS
    from mockserver.cli.printing import print_json

    if of is Of.API:
        from mockserver.declared.declaration import declaration_schema

        print_json(declaration_schema())
        return
    from mockserver.snapshots.schema import snapshot_schema

    print_json(snapshot_schema(APIS, resources or ()))
