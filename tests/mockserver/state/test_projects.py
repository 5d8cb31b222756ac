from datetime import UTC, datetime

import pytest

from mockserver.collections import Store
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
    find_project,
    project_names,
    project_of_bucket,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PROJECT = {"name": "projects/42", "projectId": "shop"}


@pytest.fixture
def world() -> World:
    rows = {"projects/42": PROJECT, "projects/same": {"name": "projects/same", "projectId": "same"}}
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(Base({"projects": Store(rows)}, {}, NOW), clock=clock, ids=Ids(0), session="s")


@pytest.mark.parametrize(("key", "found"), [("42", PROJECT), ("shop", PROJECT), ("", None)])
def test_a_project_is_found_by_id_and_number(world: World, key: str, found: object) -> None:
    assert find_project(world, key) == found


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("projects/shop/logs/a", ("projects/shop/logs/a", "projects/42/logs/a")),
        ("projects/42", ("projects/42", "projects/shop")),
        ("projects/none/logs/a", ("projects/none/logs/a",)),
        ("projects/same", ("projects/same",)),
        ("folders/42", ("folders/42",)),
    ],
    ids=str,
)
def test_a_name_has_a_form_with_the_id_and_one_with_the_number(
    world: World, name: str, names: tuple[str, ...]
) -> None:
    assert project_names(world, name) == names


@pytest.mark.parametrize(
    ("bucket", "project"), [("told", PROJECT), ("foreign", None), ("untold", None), ("none", None)]
)
def test_a_bucket_is_in_the_project_whose_number_it_tells(
    world: World, bucket: str, project: object
) -> None:
    for name, number in ("told", 42), ("foreign", 7), ("untold", None):
        world.put("storage:v1/buckets", f"b/{name}", {"projectNumber": number})
    assert project_of_bucket(world, bucket) == project
