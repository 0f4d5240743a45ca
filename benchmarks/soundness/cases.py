"""Hand-written programs with open decisions, judged like the generated ones; they stand in `cases.md`."""


def print_cases(t):
    return 0
