from harness.doctor.wording import named


def test_few_things_are_all_named() -> None:
    assert named(["a", "b", "c"]) == "a, b, c"
    assert named([]) == ""
