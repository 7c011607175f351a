"""Is it right? Kernels against gmpy2: definitions, identities, edge vectors."""

from __future__ import annotations

from .check import Progress, Subject, verify
from .report import Mismatch, Report

__all__ = ["Mismatch", "Progress", "Report", "Subject", "verify"]
