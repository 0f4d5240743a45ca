"""`python -m cutaway`."""

from __future__ import annotations

import sys

from cutaway.cli import main

sys.exit(main())
