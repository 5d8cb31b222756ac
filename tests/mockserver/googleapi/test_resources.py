from dataclasses import replace

from mockserver.googleapi import Resource
from tests.shelves import BOOKS


def test_the_parent_is_two_segments_up_unless_it_is_said() -> None:
    assert BOOKS.depth == 2
    assert replace(BOOKS, parent="projects/{project}").depth == 4


def test_a_collection_is_ten_lines() -> None:
    tags = Resource(collection="tags", pattern="tags/{tag}", list_key="tags")
    assert tags.names.captures("tags/a") == {"tag": "a"}
    assert tags.page.default == 50
