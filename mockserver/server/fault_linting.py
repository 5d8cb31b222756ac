"""Checks fault scripts: a method that no API has is never met, and nothing would say so."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

from mockserver.apis.tools import TOOLS
from mockserver.errors import Problem
from mockserver.googleapi import Api, Catalog, DocumentFolder, load_document, nearest
from mockserver.model import Fault, Json, did_you_mean

_OWN = ("tools.list", "metadata.token", "metadata.identity", "metadata.get")
"""Methods that no document has."""

_GLOB = re.compile(r"[*?\[]")


class FaultMethods:
    """The method ids that a fault may name.

    Args:
        apis: The emulated APIs.
    """

    def __init__(self, apis: Sequence[Api]) -> None:
        self._apis = apis

    def problems(self, faults: Iterable[Fault], tools: Iterable[str]) -> Iterator[Problem]:
        """One warning for each fault whose method names nothing.

        Args:
            faults: The faults of a snapshot.
            tools: The tools of the snapshot's own.

        Yields:
            The warning, its place a JSON pointer of the snapshot.
        """
        own = [f"tools.{name}" for name in tools]
        for fault in faults:
            if not self._is_known(fault.method, own):
                yield Problem(
                    _place(fault.origin),
                    f"no method is named {fault.method!r}, so this fault is never met",
                    self._nearest(fault.method, own),
                    "warning",
                )

    def _is_known(self, method: str, own: Sequence[str]) -> bool:
        if not _GLOB.search(method):
            return method in own or method in self._emulated or self._is_elsewhere(method)
        names = (*own, *self._emulated)
        return any(fnmatchcase(name, method) for name in names) or self._is_elsewhere(method)

    def _nearest(self, method: str, own: Sequence[str]) -> str:
        """A hint: of the API that the method names, if there is one."""
        name = method.partition(".")[0]
        documented = tuple(_documented(name))
        if not documented and "." in method:
            documented = tuple(
                _documented(nearest(name, (e.name for e in DocumentFolder().entries)))
            )
        return did_you_mean(method, (*documented, *own, *self._emulated))

    @cached_property
    def _emulated(self) -> frozenset[str]:
        ids = {method_id for api in self._apis for method_id in api.handlers}
        return frozenset({*ids, *(f"tools.{name}" for name in TOOLS), *_OWN})

    def _is_elsewhere(self, method: str) -> bool:
        """Whether a document has it that is not emulated; most are found by their name.

        One that may be of any API is believed: to know better, all documents would be read.
        """
        name = method.partition(".")[0]
        if _GLOB.search(name) or any(fnmatchcase(each, method) for each in _documented(name)):
            return True
        return any(fnmatchcase(each.id, method) for each in self._catalog.methods())

    @cached_property
    def _catalog(self) -> Catalog:
        return Catalog(
            preferred=[document for api in self._apis for document in api.documents],
            supplements=[document for api in self._apis for document in api.supplements],
        )


def _documented(name: str) -> Iterator[str]:
    for entry in DocumentFolder().entries:
        if entry.name == name:
            yield from load_document(entry.path).methods


def _place(origin: str) -> str:
    """The JSON pointer of a fault's origin, `faults[0]` or `errors.name`.

    >>> _place("faults[0]"), _place("errors.dlpRules")
    ('/faults/0', '/errors/dlpRules')
    """
    return "/" + origin.replace("[", "/").replace("]", "").replace(".", "/", 1)


def tools_of(raw: Mapping[str, Json]) -> Iterable[str]:
    """The names of the tools that a snapshot brings."""
    tools = raw.get("tools")
    return tools if isinstance(tools, dict) else ()
