"""The programs of transforms, products and element-wise operations for the Ring Processing Unit."""
