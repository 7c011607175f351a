"""``python -m momagen``."""

from __future__ import annotations

import sys

from momagen.cli import main

sys.exit(main())
