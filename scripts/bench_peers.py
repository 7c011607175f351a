"""Race transforms against other libraries, built from their sources: ``python scripts/bench_peers.py --help``."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0:1] = [str(HERE), str(HERE.parent)]  # nothing needs to be installed

from peer_bench.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
