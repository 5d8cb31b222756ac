import pytest

from mockserver.errors import FormatError
from mockserver.storage.cassettes import untrusted
from mockserver.storage.cassettes.untrusted import line_of, load_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!python/str x", "x"),
        ("!!python/unicode x", "x"),
        ("!!python/tuple [a, b]", ["a", "b"]),
        ("!!python/object/new:_io.BytesIO {state: !!python/tuple [!!binary aGk=, 0]}", b"hi"),
        ("!!python/object/new:_io.BytesIO {}", b""),
        ("!!python/object/apply:builtins.iter {args: [[a, !!binary aGk=]]}", b"ahi"),
        ("!!python/object/apply:builtins.iter {}", b""),
        ("2026-01-01", "2026-01-01"),
        ("1.5", 1.5),
    ],
)
def test_the_plain_data_behind_tags_that_vcrpy_writes_is_read(text: str, value: object) -> None:
    assert load_yaml(text, "a.yaml") == value


@pytest.mark.parametrize(
    "tag", ["python/object/apply:os.system ['id']", "python/module:os ''", "python/object:a.B {}"]
)
def test_tags_that_could_run_something_are_refused(tag: str) -> None:
    with pytest.raises(FormatError, match="has the tag"):
        load_yaml(f"a: !!{tag}", "a.yaml")


def test_aliases_may_stand_for_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &a [xxxxxxxxx]\nb: [*a, *a, *a]\nc: &c xx\nd: *c\n"
    monkeypatch.setattr(untrusted, "LARGEST_EXPANSION", 36)
    assert load_yaml(text, "a.yaml")["b"] == [["xxxxxxxxx"]] * 3
    monkeypatch.setattr(untrusted, "LARGEST_EXPANSION", 32)
    with pytest.raises(FormatError, match=r"a\.yaml:2: aliases"):
        load_yaml(text, "a.yaml")


def test_the_line_of_a_value_or_of_what_is_around_it() -> None:
    text = "a:\n- b: 1\n- c: 2\n"
    assert line_of(text, ("a", 1, "c")) == 3
    assert line_of(text, ("a", 1, "nope")) == 3
    assert line_of(text, ("a", 7)) == 2
    assert line_of(text, ("a", 0, "b", "deeper")) == 2
    assert line_of("", ()) == 1
    assert line_of("", ("a",)) == 1


def test_binary_as_ruby_writes_it_is_bytes() -> None:
    assert load_yaml("!binary |-\n  aGk=\n", "a.yml") == b"hi"
