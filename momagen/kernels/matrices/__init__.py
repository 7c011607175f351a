"""Products with constant matrices modulo q, by signed digits: what stands before and behind the engine that sums."""
