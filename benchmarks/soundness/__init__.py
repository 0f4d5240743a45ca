"""A judge of soundness: generated programs with open decisions, what Cutaway states of them, and what is true.

`program` is one program in both forms, `generator` makes them from `states`, `controls` and `decisions`, `truth` runs
them with the real torch, `statement` says what counts as stated, `judge` compares, and `minimise` makes a wrong program
small.
"""
