"""The RPU paper (Soni et al., ISPASS 2023): its numbers and their reproduction."""
