"""Measure kernels on a GPU: ``python scripts/bench_cuda.py --help``."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0:1] = [str(HERE), str(HERE.parent)]  # nothing needs to be installed

from cuda_bench.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
