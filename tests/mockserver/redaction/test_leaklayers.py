from mockserver.redaction.encodings import Layer


def test_the_content_itself_stands_where_it_stands() -> None:
    layer = Layer(b"abc")
    assert (layer.origin(2), layer.form, list(layer.starts())) == (2, (), [0])


def test_what_was_packed_stands_where_its_piece_began() -> None:
    outer = Layer(b"x YWJj ZGVm")
    inner = Layer(b"abcdef", outer, "base64", lambda: [(2, b"abc"), (7, b"def")], packed=True)
    assert [inner.origin(at) for at in (0, 2, 3, 5)] == [2, 2, 7, 7]
    assert list(inner.starts()) == [0, 3]


def test_places_are_those_of_the_content_through_all_readings() -> None:
    outer = Layer(b"12 abc")
    middle = Layer(b"abc", outer, "one", lambda: [(3, b"abc")])
    inner = Layer(b"c", middle, "two", lambda: [(2, b"c")])
    assert (inner.origin(0), inner.form) == (5, ("one", "two"))


def test_a_reading_of_nothing_begins_where_its_outer_reading_does() -> None:
    assert Layer(b"", Layer(b"abc"), "one").origin(0) == 0
