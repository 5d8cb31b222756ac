"""Figures of agreement: which methods have them, and which fell."""

from tests.acceptance.agreement import fallen, figures_of


def test_methods_of_documents_have_figures() -> None:
    told = {"exchanges": 4, "status": 3, "all_said": 2}
    verified = {"methods": {"drive.files.get": told, "GET a.example.com/x": told, "alone": told}}
    assert figures_of(verified) == {"drive.files.get": [4, 3, 2]}


def test_a_method_that_agrees_in_fewer_of_as_many_exchanges_fell() -> None:
    kept = {"a.b": [4, 3, 2], "a.c": [4, 4, 4], "a.d": [4, 4, 4], "a.e": [1, 1, 1]}
    now = {"a.b": [4, 4, 1], "a.c": [3, 0, 0], "a.d": [4, 4, 4]}
    assert [line.partition(":")[0] for line in fallen(kept, now)] == ["a.b"]
