"""The HTML page for a route that no API has, in place of the one that Google's front end sends."""

from html import escape

from mockserver.model import Miss

_PAGE = """<!DOCTYPE html>
<html lang=en>
  <meta charset=utf-8>
  <title>Error 404 (Not Found)!!1</title>
  <p><b>404.</b> The requested URL <code>{path}</code> was not found on this server.
  <p>Understudy: {reason}.{nearest}
</html>
"""


def not_found_page(path: str, miss: Miss) -> bytes:
    """The page for an unknown route, or for a verb that a path does not answer."""
    nearest = f" The nearest route is <code>{escape(miss.nearest)}</code>." if miss.nearest else ""
    text = _PAGE.format(path=escape(path), reason=escape(miss.reason), nearest=nearest)
    return text.encode()
