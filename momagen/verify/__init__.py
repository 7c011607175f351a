"""The verification of kernels against gmpy2: by definitions and by identities, on edge vectors and random vectors."""

from __future__ import annotations

from .check import Progress, Subject, verify
from .report import Mismatch, Report

__all__ = ["Mismatch", "Progress", "Report", "Subject", "verify"]
