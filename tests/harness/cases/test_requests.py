import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.cases.requests import request_text

values = st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner))


@given(st.dictionaries(st.text(), values, max_size=5))
def test_the_text_of_a_request_is_the_request(request_: dict[str, Any]) -> None:
    assert json.loads(request_text(request_)) == request_
