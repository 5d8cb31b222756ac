"""Emulates Google Forms: forms with their items, how they are published, and responses."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="forms",
    documents=(("forms", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    beside_conventions=True,
    relies=(
        "Rely on: forms with their items, moves, updates by masks, publishing; responses are "
        "those of fixtures, filtered by time. A form is a file of Drive. Not there: people who "
        "answer. Proof: `tests/mockserver/apis/forms`."
    ),
)

__all__ = ["API"]
