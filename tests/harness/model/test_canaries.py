from harness.model import Canary


def test_a_canary_without_an_error_sang() -> None:
    assert Canary(when="before", at="2026-11-20T10:15:00Z").error == ""
