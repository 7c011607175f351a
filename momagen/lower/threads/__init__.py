"""Programs for GPUs: kernels of transforms, element-wise kernels, and kernels that compute plans."""
