"""The declared APIs of a suite, by host, path and method id."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.model import JsonObject
from mockserver.storage import APIS, suite_files

if TYPE_CHECKING:
    from mockserver.declared.api import DeclaredApi
    from mockserver.declared.routes import Operation
    from mockserver.googleapi.call import Handler

BoundQuery = tuple[dict[str, list[str]], JsonObject, JsonObject, str]
"""What a query asks: its parameters with their values, those and placeholders by name, the same for
the journal, and the key."""


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredRoute:
    """What a request means in a declared API.

    Attributes:
        api: The API.
        operation: What is asked; None where the path is unknown or does not answer the verb.
        captures: The values of the path's placeholders, in order.
        verbs: The verbs that the path answers, where it does not answer this one.
        host: The host of the API that it came to, or an empty string.
        stubs: The stubs that may answer first, the most specific first.
        bound: Queries that were sent lately, with what they ask.
        urls: Where callers reached the API lately: host, scheme and path as sent, session; URL.
    """

    api: "DeclaredApi"
    operation: "Operation | None"
    captures: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    host: str = ""
    stubs: "tuple[DeclaredRoute, ...]" = ()
    bound: dict[bytes, BoundQuery] = field(default_factory=dict)
    urls: dict[tuple[bytes, str, bytes, str], str] = field(default_factory=dict)


class DeclaredApis:
    """The declared APIs of a suite.

    Attributes:
        apis: In the order of their files.
        hosts: The hosts that they answer on.
    """

    def __init__(self, apis: "Sequence[DeclaredApi]" = ()) -> None:
        self.apis = tuple(apis)
        self.hosts = frozenset(host for api in apis for host in api.declaration.hosts)
        self._by_name = {api.name: api for api in apis}
        # the longest base path first, so that the most specific is asked first
        self._by_path = sorted(apis, key=lambda api: -len(api.base_path))

    def __len__(self) -> int:
        return len(self.apis)

    def on_host(self, host: str, verb: str, path: str) -> DeclaredRoute | None:
        """What a request to one of their hosts means; None for another host."""
        on_it = [api for api in self._by_path if host in api.declaration.hosts]
        found = next(self._matches(on_it, host, verb, path), None)
        if found is None and on_it:
            return DeclaredRoute(on_it[-1], None, host=host)
        return found

    def anywhere(self, verb: str, path: str) -> tuple[DeclaredRoute, ...]:
        """What a request without a host may mean: of APIs whose base path it is below."""
        return tuple(self._matches(self._by_path, "", verb, path))

    def _matches(
        self, apis: "Sequence[DeclaredApi]", host: str, verb: str, path: str
    ) -> Iterator[DeclaredRoute]:
        unknown: list[DeclaredRoute] = []
        for api in apis:
            found = api.find(verb, path)
            if found is None:
                continue
            stubs = tuple(DeclaredRoute(api, stub, captures, (), host)
                          for stub, captures in found.stubs)  # fmt: skip
            route = DeclaredRoute(api, found.operation, found.captures, found.verbs, host, stubs)
            if found.operation is not None or stubs:
                yield route
            elif host or api.base_path or found.verbs:
                unknown.append(route)
        yield from sorted(unknown, key=lambda route: not route.verbs)

    def find_operation(self, method_id: str) -> "tuple[DeclaredApi, Operation] | None":
        """The operation of a method id, with its API; None where no declared API has it."""
        api = self._by_name.get(method_id.partition(".")[0])
        operation = api.operations.get(method_id) if api is not None else None
        return None if api is None or operation is None else (api, operation)


NO_APIS = DeclaredApis()


def declared_apis(
    suite: Path | None, *, taken: frozenset[str] = frozenset(), trusted: bool | None = False
) -> DeclaredApis:
    """The declared APIs of a suite.

    Args:
        suite: Its folder, or None.
        taken: Names that no declared API may have.
        trusted: Whether Python functions that it names are loaded and run; None allows to name
            them and runs none.

    Raises:
        InvalidFilesError: Everything that is wrong in the declarations.
    """
    if suite is None:
        return NO_APIS
    if not suite_files(suite, APIS):
        return NO_APIS
    # what answers them is loaded where there are any: servers without them start sooner
    from mockserver.declared.api import DeclaredApi
    from mockserver.declared.files import read_declarations

    files = read_declarations(suite, taken=taken, trusted=trusted is not False)
    handlers: Mapping[str, Handler] = {}
    if trusted:
        from mockserver.declared.functions import functions_of

        handlers = functions_of(files, suite)
    return DeclaredApis([DeclaredApi(file, handlers) for file in files])
