"""Where trials are performed: in this process, in others of this machine, or on a cluster.

`remote`, `pool` and `specs` are imported by those that use them: most runs have no workers.
"""

from harness.runner.executors.protocol import (
    LocalExecutor,
    TrialExecutor,
)

__all__ = ["LocalExecutor", "TrialExecutor"]
