"""`python -m tests.chaos.clock SECONDS serve ...`: the mock server, with a clock that is ahead."""

import sys
from datetime import timedelta

from mockserver.cli.main import main
from tests.chaos.strikes import jump

if __name__ == "__main__":
    jump(timedelta(seconds=float(sys.argv[1])))
    main(sys.argv[2:])
