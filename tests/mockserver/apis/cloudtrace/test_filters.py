import pytest

from mockserver.apis.cloudtrace.methods import Term, parse_terms, trace_test
from mockserver.googleapi import ApiError
from tests.mockserver.apis.cloudtrace.conftest import TRACES, span, trace


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "abc"),
        ("root:/che", "bc"),
        ("+root:/che", ""),
        ("+root:/checkout", "bc"),
        ("/cart", "a"),
        ("+/checkout", "bc"),
        ("root:cart", ""),
        ("span:cart.", "ac"),
        ("+span:cart.Get", "ac"),
        ("span:/checkout latency:1s", "b"),
        ("latency:900ms", "bc"),
        ("latency:3500000us", "b"),
        ("latency:>=0.0009m", "abc"),
        ("error:true", "c"),
        ("error:false", "ab"),
        ("^error:true", "c"),
        ("label:tier", "b"),
        ("label:/http/method", "a"),
        ("^label:/http/method", ""),
        ("tier:gold", "b"),
        ("+tier:gold", ""),
        ('+tier:"gold one"', "b"),
        ("method:GET", "a"),
        ('url:"https://shop"', "a"),
        ("+^/http/status_code:503", "c"),
        ("/http/status_code:5 root:/checkout", "c"),
        ("none:x", ""),
    ],
    ids=repr,
)
def test_a_filter_finds_traces(text: str, found: str) -> None:
    test = trace_test(text)
    assert "".join(each["traceId"][0] for each in TRACES if test(each)) == found


def test_terms_are_read_with_their_signs_and_quotes() -> None:
    assert parse_terms(r' +"a b":"say \"x\"" ^k:v  ') == (
        Term("a b", 'say "x"', exact=True),
        Term("k", "v", of_root=True),
    )


@pytest.mark.parametrize("text", ["root:", "latency:soon", "url:http://x", '"open', "a::b", "+"])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ApiError) as caught:
        trace_test(text)
    assert caught.value.status == 400


@pytest.mark.parametrize(
    "labels", [{"/error/message": "x"}, {"http.status_code": "500"}, {"error": "TRUE"}], ids=repr
)
def test_a_span_says_in_several_ways_that_it_failed(labels: dict[str, str]) -> None:
    assert trace_test("error:true")(trace("d", span("1", "x", 1, 1, labels=labels)))


def test_a_trace_without_spans_has_no_root() -> None:
    assert not trace_test("root:/a")(trace("d"))
