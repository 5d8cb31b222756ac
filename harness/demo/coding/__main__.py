"""`python -m harness.demo.coding`."""

import sys

from harness.demo.coding.command import main

sys.exit(main())
