import pytest
import yaml
from hypothesis import given

from mockserver.cassettes.files.scalars import is_plain, quoted, read_scalar, scalar
from tests.cassette_strategies import texts


@given(texts(lines=True))
def test_every_text_is_read_as_it_was_by_any_yaml_reader_and_by_ours(text: str) -> None:
    written = scalar(text)
    assert "\n" not in written
    assert yaml.safe_load(f"- {written}") == [text]
    assert yaml.load(f"{written}: 1", yaml.CSafeLoader) == {text: 1}
    assert read_scalar(written) == text
    assert read_scalar(quoted(text)) == text


@pytest.mark.parametrize(
    "text", ["", "1", "No", "null", "a: b", "a #b", "a:", "- a", "a  b", "é", "*a", "~"]
)
def test_what_could_be_anything_but_a_text_is_not_plain(text: str) -> None:
    assert not is_plain(text)
    assert read_scalar(text) is None


@pytest.mark.parametrize(
    "written", ["'", "'a", "'a'b'", '"', '"a', '"\\ud83d\\ude00"', '"a" "b"', "12", "a: b"]
)
def test_what_we_would_not_write_is_not_read(written: str) -> None:
    assert read_scalar(written) is None
