"""`python -m mockserver` is the `mockserver` command."""

import os
import sys

if __name__ == "__main__":
    if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(__file__)):  # noqa: PTH120  (pathlib imports more)
        del sys.path[0]  # the working folder, where `-m` looks first and nothing of ours is

    from mockserver.cli.main import main

    main()
