import pytest

from harness.agents import live_endpoints, refuse_live
from harness.errors import HarnessError


@pytest.mark.parametrize(
    ("value", "live"),
    [
        ("https://admin.googleapis.com/admin", True),
        ("https://www.googleapis.com", True),
        ("http://metadata.google.internal", True),
        ("https://accounts.google.com/o/oauth2", True),
        ("http://127.0.0.1:8765/s/a/admin.googleapis.com/", False),
        ("https://notgoogleapis.com", False),
        ("admin.googleapis.com", False),
        ("http://[", False),
    ],
)
def test_live_google_hosts_are_recognised(value: str, live: bool) -> None:
    assert live_endpoints({"X": value}) == (("X",) if live else ())


def test_an_environment_that_leads_to_live_hosts_is_refused() -> None:
    """Pitfall 23."""
    with pytest.raises(HarnessError, match=r"live Google hosts: A .*--live"):
        refuse_live({"A": "https://admin.googleapis.com/?key=s3cret", "B": "x"})
    refuse_live({"B": "x"})
