from mockserver.state import Table


def names(table: Table) -> list[str]:
    return sorted(table.rows())


def test_what_is_derived_is_built_once_and_again_after_a_write() -> None:
    table = Table({"b": {}, "a": {}})
    first = table.derived(names)
    assert table.derived(names) is first
    table.put("c", {})
    assert table.derived(names) == ["a", "b", "c"]
    table.delete("a")
    table.delete("never there")
    assert table.derived(names) == ["b", "c"]


def test_a_copy_is_written_apart() -> None:
    table = Table({"a": {"n": 1}})
    copy = table.copy()
    copy.put("b", {})
    assert len(table) == 1
    assert "b" in copy
    assert copy.get("a") is table.get("a")
    assert table.get("b") is None
