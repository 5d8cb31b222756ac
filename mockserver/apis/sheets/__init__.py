"""Emulates spreadsheets: those of fixtures, and those that are files of Drive."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="sheets",
    documents=(("sheets", "v4"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    reads=frozenset({"sheets:v4/spreadsheets", "sheets:v4/values"}),
)

__all__ = ["API"]
