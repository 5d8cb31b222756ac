"""`understudy schema cases`: the JSON Schema of native case files."""

import typer


def schema() -> None:
    """Print the JSON Schema of native cases.

    To let an editor check a case, write `# yaml-language-server: $schema=case.schema.json` as the
    first line of its file.

    Example: understudy schema cases > case.schema.json
    """
    import json

    from harness.cases import json_schema

    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
