"""Emulates spreadsheets: those of fixtures, and those that are files of Drive."""

from collections.abc import Mapping

from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.sheets.methods import HANDLERS

    return HANDLERS


API = Api(
    name="sheets",
    documents=(("sheets", "v4"),),
    handlers=Later(_handlers),
    dialect="one_platform",
    reads=frozenset({"sheets:v4/spreadsheets", "sheets:v4/values"}),
)

__all__ = ["API"]
