"""Transforms whose points lie on several devices of JAX."""

from __future__ import annotations

from .transform import ShardedTransform, sharded_ntt

__all__ = ["ShardedTransform", "sharded_ntt"]
