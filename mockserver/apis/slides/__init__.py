"""Emulates Google Slides: presentations with slides, shapes, texts, tables and images."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="slides",
    documents=(("slides", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    beside_conventions=True,
    relies=(
        "Rely on: slides by layouts, shapes, texts, tables and images, by the requests that its "
        "reference lists; a presentation is a file of Drive. Not there: thumbnails that show "
        "what is on a slide; ids of layouts are made up. Proof: "
        "`tests/clients/test_google_tools.py`, `tests/mockserver/apis/slides`."
    ),
)

__all__ = ["API"]
