"""The entry point of ``python -m momagen``, which runs the same program as the command ``momagen``."""

from __future__ import annotations

import sys

from momagen.cli import main

sys.exit(main())
