import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.messages import names_address, relocate_links, restore_links
from mockserver.model import Chunk, RecordedRequest, RecordedResponse

ORIGIN = "https://api.example.com"
BASE = "http://127.0.0.1:8080/s/s1/api.example.com"
JSON = ("Content-Type", "application/json")


def response(body: bytes = b"", *headers: tuple[str, str]) -> RecordedResponse:
    return RecordedResponse(200, headers=(JSON, *headers), body=body)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("Location", f"{ORIGIN}/a?b=1", f"{BASE}/a?b=1"),
        ("location", ORIGIN, BASE),
        (
            "Link",
            f'<{ORIGIN}/p?c=2>; rel="next", <{ORIGIN}>; rel="first"',
            f'<{BASE}/p?c=2>; rel="next", <{BASE}>; rel="first"',
        ),
        ("Refresh", f"0; url={ORIGIN}/x", f"0; url={BASE}/x"),
        ("Location", f"{ORIGIN}.evil.example/x", f"{ORIGIN}.evil.example/x"),
        ("Location", f"{ORIGIN}:8443/x", f"{ORIGIN}:8443/x"),
        ("X-Told", f"{ORIGIN}/x", f"{ORIGIN}/x"),
    ],
)
def test_a_header_that_leads_on_leads_to_the_stand_in(name: str, value: str, expected: str) -> None:
    found = response(b"", (name, value))
    assert relocate_links(found, ORIGIN, BASE).headers[1] == (name, expected)
    assert names_address(found, ORIGIN) == (value != expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f'{{"nextLink" : "{ORIGIN}/a"}}', f'{{"nextLink" : "{BASE}/a"}}'),
        (f'[{{"_links":{{"next":{{"href":"{ORIGIN}"}}}}}}]', None),
        ('{"next":"https:\\/\\/api.example.com\\/a"}', None),
        (f'{{"scope":"{ORIGIN}/auth/x","iss":"{ORIGIN}"}}', "same"),
        (f'{{"text":"see {ORIGIN}/a","next":"{ORIGIN}x/a"}}', "same"),
    ],
    ids=["link", "nested", "escaped", "names", "others"],
)
def test_links_of_a_body_lead_to_the_stand_in_and_every_other_byte_stays(
    body: str, expected: str | None
) -> None:
    if expected is None:
        escaped = BASE.replace("/", "\\/")
        expected = body.replace(ORIGIN, BASE).replace("https:\\/\\/api.example.com", escaped)
    wanted = body if expected == "same" else expected
    found = response(body.encode(), ("Content-Length", str(len(body))))
    moved = relocate_links(found, ORIGIN, BASE)
    assert moved.body.decode() == wanted
    assert moved.headers[1] == ("Content-Length", str(len(wanted)))
    assert names_address(found, ORIGIN) == (wanted != body)


def test_a_body_that_is_no_json_stays() -> None:
    page = RecordedResponse(200, body=f'"next": "{ORIGIN}/"'.encode())
    assert relocate_links(page, ORIGIN, BASE) == page


def test_a_length_that_was_wrong_stays_wrong() -> None:
    found = response(f'{{"next":"{ORIGIN}/a"}}'.encode(), ("Content-Length", "7"))
    assert ("Content-Length", "7") in relocate_links(found, ORIGIN, BASE).headers


@given(st.lists(st.integers(0, 60), max_size=6))
def test_the_pieces_of_a_stream_still_add_up_and_nothing_is_torn(cuts: list[int]) -> None:
    body = f'data: {{"next":"{ORIGIN}/a"}}\n\ndata: {{"url":"{ORIGIN}"}}\n\n'.encode()
    stops = sorted({*(cut for cut in cuts if cut < len(body)), len(body)})
    sizes = [stop - start for start, stop in zip([0, *stops], stops, strict=False)]
    chunks = tuple(Chunk(float(number), size) for number, size in enumerate(sizes))
    stream = RecordedResponse(
        200, headers=(("Content-Type", "text/event-stream"),), body=body, chunks=chunks
    )
    moved = relocate_links(stream, ORIGIN, BASE)
    assert sum(chunk.size for chunk in moved.chunks) == len(moved.body)
    assert all(chunk.size >= 0 for chunk in moved.chunks)
    assert [chunk.at_ms for chunk in moved.chunks] == [chunk.at_ms for chunk in chunks]


def test_a_request_that_quotes_a_link_quotes_the_recorded_one() -> None:
    quoted = "http%3A%2F%2F127.0.0.1%3A8080%2Fs%2Fs1%2Fapi.example.com"
    request = RecordedRequest(
        "POST",
        f"{ORIGIN}/go?to={quoted}%2Fa&plain={BASE}/b",
        (("Content-Length", "58"),),
        f'{{"a":"{BASE}/c","b":1, "c":"{BASE}x"}}'.encode(),
    )
    request = RecordedRequest(
        request.method,
        request.url,
        (("Content-Length", str(len(request.body))),),
        request.body,
    )
    back = restore_links(request, BASE, ORIGIN)
    assert back.url == f"{ORIGIN}/go?to=https%3A%2F%2Fapi.example.com%2Fa&plain={ORIGIN}/b"
    assert back.body == f'{{"a":"{ORIGIN}/c","b":1, "c":"{BASE}x"}}'.encode()
    assert back.headers == (("Content-Length", str(len(back.body))),)


def test_a_request_that_quotes_nothing_is_the_same() -> None:
    request = RecordedRequest("GET", f"{ORIGIN}/a", (("Content-Length", "0"),))
    assert restore_links(request, BASE, ORIGIN) is request
    wrong = RecordedRequest("POST", f"{BASE}/a", (("Content-Length", "9"),), b"x")
    assert restore_links(wrong, BASE, ORIGIN).headers == wrong.headers
