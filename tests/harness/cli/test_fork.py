from pathlib import Path

import pytest

from harness.cli.fork import prompt_of
from harness.errors import HarnessError


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (None, None),
        ("Look twice.", "Look twice."),
        ("twice", "twice"),
        ("Read notes.md", "Read notes.md"),
        ("x" * 5000, "x" * 5000),
        ("new.md", "Look three times."),
        ("plain", "Look four times."),
    ],
    ids=["none", "text", "word", "sentence that ends like a file", "long", "file", "bare file"],
)
def test_a_prompt_is_a_text_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, prompt: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("new.md").write_text("Look three times.", encoding="utf-8")
    Path("plain").write_text("Look four times.", encoding="utf-8")
    assert prompt_of(text) == prompt


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "--prompt is empty"),
        (" ", "--prompt is empty"),
        ("missing.md", "cannot read the prompt 'missing.md': No such file"),
        ("binary", "cannot read the prompt 'binary'"),
    ],
)
def test_a_prompt_that_is_neither_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(HarnessError, match=error):
        prompt_of(text)
