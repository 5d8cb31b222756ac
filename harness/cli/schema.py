"""`understudy schema cases`: the JSON Schema of native case files."""

import typer


def schema() -> None:
    """Print the JSON Schema of native cases.

    Example: understudy schema cases > case.schema.json, then write as the first line of a case file

    # yaml-language-server: $schema=case.schema.json
    """
    import json

    from harness.cases import json_schema

    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
