from mockserver.apis.monitoring.promql.nodes import PromqlError, execution


def test_errors_are_of_two_kinds() -> None:
    assert PromqlError("a").kind == "bad_data"
    assert (str(execution("b")), execution("b").kind) == ("b", "execution")
