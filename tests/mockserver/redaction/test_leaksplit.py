import pytest

from mockserver.redaction.encodings import Layer, joined_layers


@pytest.mark.parametrize(
    ("content", "together"),
    [
        (b"k: " + b"x" * 50 + b"ann\n   @corp.test and more", b"ann@corp.test"),
        (b'data: {"d": {"t": "ann@"}}\n\ndata: {"d": {"t": "corp"}}\n', b"ann@corp"),
        (b'{"t": "ann@"}\n{"t": ["corp"]}\n{"t": "mid"}\n', b"ann@mid"),
        (b"data: ann@\n\ndata: corp\n\n", b"ann@corp"),
        (b'{"t": ["a", "ann@"]}\n{"t": ["b", "corp"]}\n', b"ann@corp"),
    ],
    ids=["folded", "events", "lines", "no JSON", "lists"],
)
def test_what_stands_in_pieces_is_put_together(content: bytes, together: bytes) -> None:
    assert any(together in layer.content for layer in joined_layers(Layer(content)))


@pytest.mark.parametrize(
    "content",
    [
        b"one line",
        b"short\nlines\n",
        b'{\n  "a": "' + b"x" * 60 + b'",\n  "b": 1\n}\n',
        b"x" * 60 + b"\n\nparagraph",
    ],
    ids=["one", "short", "JSON", "empty line"],
)
def test_what_nobody_folds_is_left(content: bytes) -> None:
    assert not list(joined_layers(Layer(content)))


def test_lines_inside_of_something_are_put_together_without_spaces_only() -> None:
    content = b"x" * 60 + b"\n" + b"y" * 20
    inner = Layer(content, Layer(b""), "base64")
    assert [layer.content for layer in joined_layers(inner)] == [b"\n" + b"x" * 60 + b"y" * 20]
    spaced = Layer(b"x y " * 20 + b"\nmore words", Layer(b""), "base64")
    assert not list(joined_layers(spaced))
