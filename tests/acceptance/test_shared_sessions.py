"""Sessions over several processes, of which one is killed now and then."""

import pytest

from tests.acceptance.shared_sessions import Plan, carry_out
from tests.redis_servers import redis_server


@pytest.mark.slow
@pytest.mark.parametrize(
    ("servers", "workers", "in_redis"), [(1, 3, False), (1, 3, True), (3, 1, True)]
)
def test_no_answered_write_is_lost_and_none_crosses(
    servers: int, workers: int, *, in_redis: bool
) -> None:
    plan = Plan(sessions=150, servers=servers, workers=workers, kill_every=150)
    if in_redis:
        with redis_server() as redis:
            findings = carry_out(plan, redis=redis.url)
    else:
        findings = carry_out(plan)
    assert findings.is_clean, findings
    assert findings.kills > 0
