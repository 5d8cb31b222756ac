from collections.abc import Callable
from typing import Any

from tests.mockserver.apis.apphub.conftest import APP, PLACE

Ask = Callable[..., Any]


def test_a_write_is_an_operation_of_its_location(call: Ask) -> None:
    answer = call("applications.delete", name=APP)
    assert answer["name"].startswith(f"{PLACE}/operations/operation-")
    assert answer["metadata"]["verb"] == "delete"
    assert answer["response"] == {"@type": "type.googleapis.com/google.protobuf.Empty"}
    assert call("operations.get", name=answer["name"]) == answer
    assert call("operations.list", name=PLACE)["operations"] == [answer]
    assert call("operations.cancel", name=answer["name"]) == {}
    assert call("operations.delete", name=answer["name"]) == {}
