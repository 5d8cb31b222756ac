"""What is said of calls that no handler answers."""

from mockserver.routing import Route
from mockserver.sources.misses import ambiguous_host_error, internal_error, no_source_error


def test_a_session_without_state_says_so() -> None:
    error = no_source_error(Route("GET", "", "/x", method_id="directory.users.list"))
    assert (error.status, error.miss and error.miss.blame) == (404, "fixture_gap")
    assert "directory.users.list" in error.message


def test_a_defect_of_ours_is_500() -> None:
    assert (internal_error().status, internal_error().message) == (
        500,
        "Internal error encountered.",
    )


def test_a_path_of_several_apis_names_their_hosts_and_no_token() -> None:
    hosts = ("a.googleapis.com", "b.googleapis.com")
    error = ambiguous_host_error(Route("GET", "", "/v1/ya29.secret", candidates=hosts))
    assert "(/a.googleapis.com/v1/[redacted])" in error.message
    assert error.details[0]["metadata"] == {"hosts": "a.googleapis.com, b.googleapis.com"}
