"""What every project may use: regions, zones, and types of machines, disks and accelerators.

A snapshot that has rows of such a collection is believed instead. Every zone has the same types.
Source: reference pages of Compute Engine, and recordings for the form of a zone; not verified
against the live API: which zone has which types.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from mockserver.apis.compute.links import table_of
from mockserver.collections import Store
from mockserver.googleapi import ApiError, Call, Handler, LeftToConventionsError, nearest, not_found
from mockserver.googleapi.collections import own_resource, page_answer, selected_rows, visible_row
from mockserver.googleapi.list_rules import ListCall
from mockserver.googleapi.regions import REGIONS, ZONES
from mockserver.model import JsonObject

_FAMILIES: Sequence[tuple[str, float, Sequence[int]]] = (
    ("c2-standard", 4, (4, 8, 16, 30, 60)),
    ("c2d-highcpu", 2, (2, 4, 8, 16, 32, 56, 112)),
    ("c2d-highmem", 8, (2, 4, 8, 16, 32, 56, 112)),
    ("c2d-standard", 4, (2, 4, 8, 16, 32, 56, 112)),
    ("c3-highcpu", 2, (4, 8, 22, 44, 88, 176)),
    ("c3-highmem", 8, (4, 8, 22, 44, 88, 176)),
    ("c3-standard", 4, (4, 8, 22, 44, 88, 176)),
    ("e2-highcpu", 1, (2, 4, 8, 16, 32)),
    ("e2-highmem", 8, (2, 4, 8, 16)),
    ("e2-standard", 4, (2, 4, 8, 16, 32)),
    ("g2-standard", 4, (4, 8, 12, 16, 24, 32, 48, 96)),
    ("n1-highcpu", 0.9, (2, 4, 8, 16, 32, 64, 96)),
    ("n1-highmem", 6.5, (2, 4, 8, 16, 32, 64, 96)),
    ("n1-standard", 3.75, (1, 2, 4, 8, 16, 32, 64, 96)),
    ("n2-highcpu", 1, (2, 4, 8, 16, 32, 48, 64, 80, 96)),
    ("n2-highmem", 8, (2, 4, 8, 16, 32, 48, 64, 80, 96)),
    ("n2-standard", 4, (2, 4, 8, 16, 32, 48, 64, 80, 96, 128)),
    ("n2d-highcpu", 1, (2, 4, 8, 16, 32, 48, 64, 80, 96, 128, 224)),
    ("n2d-highmem", 8, (2, 4, 8, 16, 32, 48, 64, 80, 96)),
    ("n2d-standard", 4, (2, 4, 8, 16, 32, 48, 64, 80, 96, 128, 224)),
    ("t2d-standard", 4, (1, 2, 4, 8, 16, 32, 48, 60)),
)
"""Families to the gigabytes of memory for each CPU, and the numbers of CPUs."""
_SHARED = {"e2-micro": (2, 1024), "e2-small": (2, 2048), "e2-medium": (2, 4096),
           "f1-micro": (1, 614), "g1-small": (1, 1740)}  # fmt: skip
"""Machines that share their CPUs, with these and their megabytes of memory."""
_MACHINES: Mapping[str, tuple[int, int]] = {
    **_SHARED,
    **{
        f"{name}-{cpus}": (cpus, round(cpus * per * 1024))
        for name, per, several in _FAMILIES
        for cpus in several
    },
    "n2-highmem-128": (128, 864 * 1024),
}
_DISKS = {
    "hyperdisk-balanced": ("Hyperdisk Balanced Persistent Disk", "4GB-65536GB", "100"),
    "local-ssd": ("Local SSD", "375GB-375GB", "375"),
    "pd-balanced": ("Balanced Persistent Disk", "10GB-65536GB", "100"),
    "pd-extreme": ("Extreme Persistent Disk", "500GB-65536GB", "1000"),
    "pd-ssd": ("SSD Persistent Disk", "10GB-65536GB", "100"),
    "pd-standard": ("Standard Persistent Disk", "10GB-65536GB", "500"),
}
_ACCELERATORS = {
    "nvidia-h100-80gb": ("NVIDIA H100 80GB", 8),
    "nvidia-l4": ("NVIDIA L4", 8),
    "nvidia-tesla-a100": ("NVIDIA A100 40GB", 16),
    "nvidia-tesla-p4": ("NVIDIA Tesla P4", 4),
    "nvidia-tesla-t4": ("NVIDIA T4", 4),
    "nvidia-tesla-v100": ("NVIDIA V100", 8),
}
_EPOCH = "1969-12-31T16:00:00.000-08:00"


def _regions() -> Iterator[tuple[str, JsonObject]]:
    for name in REGIONS:
        yield f"regions/{name}", {"description": name, "status": "UP", "supportsPzs": False}


def _zones() -> Iterator[tuple[str, JsonObject]]:
    for zone in ZONES:
        yield f"zones/{zone}", {"description": zone, "status": "UP", "supportsPzs": False}


def _machine_types() -> Iterator[tuple[str, JsonObject]]:
    for name, (cpus, memory) in sorted(_MACHINES.items()):
        yield (
            f"machineTypes/{name}",
            {
                "description": f"{cpus} vCPU{'s' * (cpus > 1)}, {round(memory / 1024, 2):g} GB RAM",
                "guestCpus": cpus,
                "memoryMb": memory,
                "maximumPersistentDisks": 16 if name in _SHARED else 128,
                "maximumPersistentDisksSizeGb": "3072" if name in _SHARED else "263168",
                "isSharedCpu": name in _SHARED,
                "architecture": "X86_64",
            },
        )


def _disk_types() -> Iterator[tuple[str, JsonObject]]:
    for name, (text, sizes, usual) in _DISKS.items():
        told = {"description": text, "validDiskSize": sizes, "defaultDiskSizeGb": usual}
        yield f"diskTypes/{name}", told


def _accelerator_types() -> Iterator[tuple[str, JsonObject]]:
    for name, (text, cards) in _ACCELERATORS.items():
        yield f"acceleratorTypes/{name}", {"description": text, "maximumCardsPerInstance": cards}


_OFFERED = {
    "acceleratorTypes": (_accelerator_types, True),
    "diskTypes": (_disk_types, True),
    "machineTypes": (_machine_types, True),
    "regions": (_regions, False),
    "zones": (_zones, False),
}
"""Collections to what is in them, and whether that is in a zone."""


@lru_cache(64)
def _offered(version: str, collection: str, above: str) -> Store:
    """The rows of a collection below a project, or below a zone of it."""
    offers, _ = _OFFERED[collection]
    return Store(
        (f"{above}/{path}", _row(version, collection, f"{above}/{path}", number, told))
        for number, (path, told) in enumerate(offers(), 1)
    )


def _row(version: str, collection: str, path: str, number: int, told: JsonObject) -> JsonObject:
    link = f"https://www.googleapis.com/compute/{version}/"
    project, name = "/".join(path.split("/")[:2]), path.rpartition("/")[2]
    row: JsonObject = {
        "kind": f"compute#{collection[:-1]}",
        "id": f"{1000 + number}",
        "creationTimestamp": _EPOCH,
        "name": name,
        **told,
        "selfLink": link + path,
    }
    if collection == "regions":
        row["zones"] = [f"{link}{project}/zones/{zone}" for zone in REGIONS[name]]
    if collection == "zones":
        row["region"] = f"{link}{project}/regions/{name[:-2]}"
    if collection == "machineTypes":
        row["zone"] = path.split("/")[3]
    elif "/zones/" in path and collection != "zones":
        row["zone"] = f"{link}{path.rpartition(f'/{collection}')[0]}"
    return row


def _store(call: Call, collection: str) -> Store:
    """What a collection offers where a call asks.

    Raises:
        LeftToConventionsError: The snapshot has rows of it.
        ApiError: 404 for a zone that no region has.
    """
    if len(call.world.table(table_of(call, collection))):
        raise LeftToConventionsError
    above = f"projects/{call.params['project']}"
    if _OFFERED[collection][1]:
        zone = str(call.params["zone"])
        if zone not in ZONES:
            raise _missing(f"{above}/zones/{zone}", ZONES)
        above += f"/zones/{zone}"
    return _offered(call.version, collection, above)


def _missing(path: str, known: Iterable[str]) -> ApiError:
    """What refuses a path of nothing that is offered."""
    text = f"The resource '{path}' was not found"
    return not_found(text, name=path, nearest=nearest(path, known))


def _list(call: Call) -> JsonObject:
    """Answers a list of what is offered; raises ApiError: 400, 404."""
    resource, store = own_resource(call), _store(call, call.id.split(".")[1])
    return page_answer(resource, call, selected_rows(resource, ListCall(call, store)))


def _get(call: Call) -> JsonObject:
    """Answers one of what is offered; raises ApiError: 404."""
    resource, store = own_resource(call), _store(call, call.id.split(".")[1])
    path = resource.name_in(call)
    row = store.get(path)
    if row is None:
        raise _missing(path, store.rows())
    return visible_row(resource, call, row)


OF_OFFERS: Mapping[str, Handler] = {
    f"compute.{collection}.{verb}": answer
    for collection in _OFFERED
    for verb, answer in (("list", _list), ("get", _get))
}
"""Method id to what answers it."""
