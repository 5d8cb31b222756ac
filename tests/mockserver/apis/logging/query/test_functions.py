import pytest

from mockserver.apis.logging.query.compiler import Entry, compile_query
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject

ROW: JsonObject = {
    "logName": "projects/p/logs/cloudaudit.googleapis.com%2Factivity",
    "insertId": "a1",
    "httpRequest": {"remoteIp": "192.0.2.9"},
    "jsonPayload": {"message": "Quick brown-fox, jumps", "ips": ["x", "198.51.100.3"], "n": 5},
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('log_id("cloudaudit.googleapis.com/activity")', True),
        ('LOG_ID("cloudaudit.googleapis.com%2Factivity")', True),
        ('log_id("activity")', False),
        ('source("projects/p")', True),
        ("source(projects/q)", False),
        ("sample(insertId, 1)", True),
        ("sample(insertId, 0.0)", False),
        ("sample(jsonPayload.none, 1)", False),
        ('ip_in_net(httpRequest.remoteIp, "192.0.2.0/24")', True),
        ('ip_in_net(httpRequest.remoteIp, "2001:db8::/32")', False),
        ('ip_in_net(jsonPayload.ips, "198.51.100.0/30")', True),
        ('ip_in_net(jsonPayload.n, "0.0.0.0/0")', False),
        ('SEARCH("FOX quick")', True),
        ('SEARCH("qui")', False),
        ('SEARCH("`brown-fox`")', True),
        ('SEARCH("`rown-fox`")', False),
        ('SEARCH("`brown-fox` jumps a1")', True),
        ('SEARCH(jsonPayload.message, "jumps")', True),
        ('SEARCH(jsonPayload, "jumps 5")', True),
        ('SEARCH(textPayload, "jumps")', False),
    ],
    ids=repr,
)
def test_functions_look_at_an_entry(text: str, expected: bool) -> None:
    assert compile_query(text).holds(Entry(ROW, "k", 0)) is expected


def test_a_sample_is_a_share_and_always_the_same() -> None:
    entries = [Entry({"insertId": str(number)}, "k", 0) for number in range(2_000)]
    quarter = compile_query("sample(insertId, 0.25)").holds
    found = [entry for entry in entries if quarter(entry)]
    assert 400 < len(found) < 600
    half = compile_query("sample(insertId, 0.5)").holds
    assert all(half(entry) for entry in found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nope(a)", "unknown function 'nope'"),
        ("log_id()", "log_id takes 1 arguments, found 0"),
        ("SEARCH(a, b, c)", "SEARCH takes 1 or 2 arguments, found 3"),
        ("sample(insertId, x)", "invalid fraction 'x'"),
        ("sample(insertId, 2)", "the fraction '2' is not between 0.0 and 1.0"),
        ('ip_in_net(httpRequest.remoteIp, "300.0.0.0/8")', "invalid network '300.0.0.0/8'"),
        ("sample(thud, 1)", "Field not found: 'thud'."),
    ],
    ids=repr,
)
def test_a_function_that_cannot_be_is_refused(text: str, said: str) -> None:
    with pytest.raises(ApiError) as caught:
        compile_query(text)
    assert caught.value.message == f"Unparseable filter: {said}"
