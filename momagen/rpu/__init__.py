"""The Ring Processing Unit (Soni et al., ISPASS 2023): its instructions, assembler, programs and simulators."""
