"""Race kernels for the target jax on the device that JAX has: ``python scripts/bench_jax.py --help``."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0:1] = [str(HERE), str(HERE.parent)]  # nothing needs to be installed

from jax_bench.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
