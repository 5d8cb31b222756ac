"""`python -m harness.demo.sre`."""

import sys

from harness.demo.sre.command import main

sys.exit(main())
