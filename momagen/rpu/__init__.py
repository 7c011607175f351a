"""The Ring Processing Unit (Soni et al., ISPASS 2023): its instruction set, assembler, compiler and machine models.

The simulators are in :mod:`momagen.simulate`.
"""
