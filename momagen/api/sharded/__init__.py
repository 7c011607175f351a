"""Transforms whose points are distributed over several JAX devices."""

from __future__ import annotations

from .transform import ShardedTransform, sharded_ntt

__all__ = ["ShardedTransform", "sharded_ntt"]
