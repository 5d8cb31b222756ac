"""Emulates People: contacts, their groups, and the people of the Directory."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="people",
    documents=(("people", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    beside_conventions=True,
    relies=(
        "Rely on: contacts, their groups and etags, searches by the beginnings of words, sync "
        "tokens, the Directory's users as people. All users of a session share its contacts. "
        "Proof: `tests/clients/test_usual_calls.py`, laws in "
        "`tests/mockserver/apis/test_workspace_laws.py`, `tests/mockserver/apis/people`."
    ),
)

__all__ = ["API"]
