"""``python scripts/dropin``: see README.md beside this file."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from dropin.command import main  # noqa: E402

sys.exit(main())
