import pytest

from mockserver.apis.iamcredentials import API
from mockserver.state import World
from tests.tenants import world

ACCOUNTS = "iamcredentials.projects.serviceAccounts"
ROBOT = "robot@shop-prod.iam.gserviceaccount.com"
NAME = f"projects/-/serviceAccounts/{ROBOT}"


@pytest.fixture
def tenant() -> World:
    return world(API)
