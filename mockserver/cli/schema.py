"""`understudy schema`: the JSON Schemas of files that users write, for editors."""

from typing import Annotated

import typer

from mockserver.commands import print_json


def snapshot(
    *,
    resources: Annotated[
        list[str] | None,
        typer.Option(
            help="A Discovery document, such as calendar:v3, whose `resources` to describe field by"
            " field; may be repeated."
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of snapshot files.

    To let an editor check a snapshot, write `"$schema": "../snapshot.schema.json"` as the first key
    of its file.

    Example: understudy schema fixtures --resources calendar:v3 > snapshot.schema.json
    """
    from mockserver.apis import APIS
    from mockserver.snapshots.schema import snapshot_schema

    print_json(snapshot_schema(APIS, resources or ()))


def api() -> None:
    """Print the JSON Schema of a declared API.

    Example: understudy schema api > api.schema.json
    """
    from mockserver.declared.declaration import declaration_schema

    print_json(declaration_schema())


def model() -> None:
    """Print the JSON Schema of a scripted model.

    Example: understudy schema model > model.schema.json
    """
    from mockserver.models.script import script_schema

    print_json(script_schema())
