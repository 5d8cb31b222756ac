from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.collections import Store
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
    home_project,
    service_account_email,
    session_of_service_account,
)

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def make_world(session: str = "s1", **rows: Any) -> World:
    base = Base({name: Store(table) for name, table in rows.items()}, {}, NOW)
    return World(base, clock=Clock("frozen", captured_at=NOW, real=lambda: NOW), ids=Ids(1),
                 session=session)  # fmt: skip


@pytest.mark.parametrize("session", ["s1", "Case.7_a-b"])
def test_the_address_names_the_session(session: str) -> None:
    assert session_of_service_account(service_account_email(make_world(session))) == session


@pytest.mark.parametrize(
    "email",
    ["robot@shop-prod.iam.gserviceaccount.com", "mock~s1@example.com", "mock~s1", "a@example.com"],
)
def test_addresses_of_others_name_none(email: str) -> None:
    assert session_of_service_account(email) is None


def test_it_lives_in_the_first_project_of_the_session() -> None:
    rows = {
        "projects/0": {"name": "projects/0"},
        "projects/415104041262": {"name": "projects/415104041262", "projectId": "shop-prod"},
    }
    world = make_world(projects=rows)
    assert home_project(world) == ("shop-prod", "415104041262")
    assert service_account_email(world) == "mock~s1@shop-prod.iam.gserviceaccount.com"


def test_without_projects_one_is_named_after_the_customers_domain() -> None:
    world = make_world(customer={"customer": {"customerDomain": "Corp.example.com"}})
    project, number = home_project(world)
    assert project == "corp-example-com"
    assert len(number) == 12
    assert home_project(make_world())[0] == "example-com"
