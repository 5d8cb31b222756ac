"""Users of one tenant and what `resources` give them, asked by method without a server."""

from typing import Any

from mockserver.apis import APIS
from mockserver.apis.generic import API as GENERIC
from mockserver.apis.generic import MethodConventions
from mockserver.collections import Store
from mockserver.googleapi import Call, Caller, LeftToConventionsError, Media, SnapshotImport
from mockserver.model import JsonObject
from mockserver.state import Base, Clock, Ids, World
from tests.discoverydocs import method
from tests.tenants import NOW, TENANT

ANN, BO, CY = (f"{name}@example.com" for name in ("admin", "bo", "cy"))


class Workspace:
    """A world of three users; `sre@example.com` is a group of Cy alone."""

    def __init__(self, *names: str, **resources: Any) -> None:
        found = SnapshotImport(raw={"resources": resources} if resources else {})
        for api in (GENERIC, *(each for each in APIS if each.name in names)):
            for each in filter(None, (api.import_snapshot, api.complete_rows)):
                each(found)
        assert found.problems == []
        tables = {**TENANT, **{name: Store(rows) for name, rows in found.tables.items()}}
        clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
        self.media: Media | None = None
        self.world = World(Base(tables, found.times, NOW), clock=clock, ids=Ids(1), session="s1")
        for number, address in enumerate((ANN, BO, CY)):
            name = {"fullName": f"{address[:2].title()} Example"}
            row = {"id": f"{number}", "primaryEmail": address, "name": name}
            self.world.put("users", f"{number}", row)
        member = {"groupId": "01grp000000", "member": {"id": "2", "email": CY}}
        self.world.put("members", "01grp000000/2", member)

    def ask(
        self, key: str, method_id: str, /, body: Any = None, who: str = ANN, **params: Any
    ) -> Any:
        """Answer as a server would."""
        asked, usual = method(key, method_id), MethodConventions(method(key, method_id))

        def invoke(
            method_id: str,
            params: JsonObject,
            body: JsonObject | None = None,
            media: Media | None = None,
        ) -> JsonObject:
            api = method_id.partition(".")[0]
            versions = {"docs": "v1", "sheets": "v4", "people": "v1", "meet": "v2", "pubsub": "v1"}
            version, self.media = versions.get(api, "v3"), media
            found: JsonObject = self.ask(f"{api}:{version}", method_id, body, who, **params)
            return found

        media, self.media = self.media, None
        call = Call(
            method_id, params, body or {}, self.world, asked.version, caller=Caller("", who),
            invoke=invoke, conventions=usual, media=media,
        )  # fmt: skip
        name, version = key.split(":")
        several = [each.handlers for each in APIS if (name, version) in each.documents]
        own = next((each[method_id] for each in several if method_id in each), usual)
        with self.world.transaction():
            try:
                answer = own(call)
            except LeftToConventionsError:
                answer = usual(call)
        self.download = call.download
        return answer or {}
