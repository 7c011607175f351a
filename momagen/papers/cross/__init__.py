"""The CROSS paper (Tong et al., arXiv:2501.07047): its numbers and their reproduction."""

from pathlib import Path

from momagen.papers.exhibit import Paper

PAPER = Paper("cross", Path(__file__).parent)
