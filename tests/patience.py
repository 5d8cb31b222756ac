"""How long tests wait for what must come, and how they wait.

A busy machine needs many times as long as an idle one, so no test may say how fast anything is. A
limit only ends a test that would hang, and is far above what any machine needs.
"""

import asyncio
from collections.abc import Callable
from time import monotonic, sleep

PATIENCE_S = 180.0
_PAUSE_S = 0.02


def wait_until(holds: Callable[[], object], what: str = "it") -> None:
    """Wait until something holds.

    Raises:
        AssertionError: It did not come to hold.
    """
    until = monotonic() + PATIENCE_S
    while not holds():
        if monotonic() > until:
            raise AssertionError(f"{what} did not come to hold within {PATIENCE_S:.0f} s")
        sleep(_PAUSE_S)


async def until(holds: Callable[[], object], what: str = "it") -> None:
    """Wait until something holds, while the event loop goes on.

    Raises:
        AssertionError: It did not come to hold.
    """
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not holds():  # noqa: ASYNC110  (what is waited for tells nobody)
                await asyncio.sleep(_PAUSE_S)
    except TimeoutError:
        raise AssertionError(f"{what} did not come to hold within {PATIENCE_S:.0f} s") from None


async def settle() -> None:
    """Give the event loop many rounds: what this process has under way gets done.

    Both ends of what is awaited must be of this process; then rounds count, and time does not.
    """
    for _ in range(50):
        await asyncio.sleep(0.001)
