from mockserver.apis.logging.query.compiler import Entry, as_written, folded_text


def test_the_text_of_an_entry_is_its_values_without_times_and_names() -> None:
    row = {
        "timestamp": "2026",
        "severity": "ERROR",
        "jsonPayload": {"n": 1.5, "ok": True, "off": False, "none": None, "of": ["A", 2]},
    }
    entry = Entry(row, "k", 7)
    assert entry.text == "error\n1.5\ntrue\nfalse\na\n2"
    assert entry.text is entry.text
    assert '"severity":"error"' in entry.written


def test_what_is_in_a_value_is_in_the_written_entry() -> None:
    value = 'Say "hi"\n\\ Größe'
    entry = Entry({"textPayload": value}, "k", 0)
    assert as_written(value) in entry.written
    assert folded_text(value) == value.casefold()
