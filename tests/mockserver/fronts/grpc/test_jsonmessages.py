import pytest
from google.cloud.logging_v2.types import ListLogEntriesRequest

from mockserver.fronts.grpc.replay import json_to_messages, messages_to_json

REQUEST = ListLogEntriesRequest.pb()


def test_a_message_comes_back_from_its_json() -> None:
    content = REQUEST(resource_names=["projects/p"], page_size=3).SerializeToString()
    assert json_to_messages(REQUEST, messages_to_json(REQUEST, content)) == [content]


def test_a_stream_is_a_list_and_nothing_is_no_message() -> None:
    assert len(json_to_messages(REQUEST, b'[{"pageSize": 1}, {"pageSize": 2}]')) == 2
    assert json_to_messages(REQUEST, b"") == json_to_messages(REQUEST, b"[]") == []


def test_what_is_no_such_message_is_told() -> None:
    with pytest.raises(ValueError, match="pageSize"):
        json_to_messages(REQUEST, b'{"pageSize": "many"}')
