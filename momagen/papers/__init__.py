"""The five papers behind momagen: what each states, beside what momagen measures.

Nothing but the command line imports this package.
"""
