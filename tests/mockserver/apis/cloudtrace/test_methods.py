from mockserver.apis.cloudtrace.methods import HANDLERS


def test_both_versions_are_served() -> None:
    assert {name.rpartition(".")[2] for name in HANDLERS} == {
        "list",
        "get",
        "patchTraces",
        "batchWrite",
        "createSpan",
    }
