"""The commands of docs/reference/importing.md are run, and its table is that of the formats."""

from pathlib import Path

import pytest

from harness.foreign import FORMATS
from tests.documents import DOCS, code_in, table, write_files
from tests.transcripts import run, steps

DOCUMENT = DOCS["importing"]


@pytest.mark.slow
def test_what_the_commands_show_is_what_the_document_says(tmp_path: Path) -> None:
    write_files(DOCUMENT, tmp_path)
    script = steps(DOCUMENT)
    outputs = run(script, folder=tmp_path, environment={})
    for step, output in zip(script, outputs, strict=True):
        assert step.matches(output), output


def test_every_format_has_its_row() -> None:
    assert {code_in(row[0])[0] for row in table(DOCUMENT, "Format")} == set(FORMATS)
