"""The HTML page for unknown routes."""

from mockserver.model import Miss
from mockserver.sources.misses import not_found_page


def test_the_page_is_told_by_its_first_line_and_title() -> None:
    page = not_found_page("/x", Miss(blame="agent_error", reason="no method")).decode()
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>Error 404 (Not Found)!!1</title>" in page
    assert "nearest" not in page


def test_what_was_asked_cannot_write_the_page() -> None:
    miss = Miss(blame="agent_error", reason="<b>", nearest="GET /<i>")
    page = not_found_page("/<script>", miss).decode()
    assert "<script>" not in page
    assert "GET /&lt;i&gt;" in page
