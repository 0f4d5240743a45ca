"""A judge of soundness: generated programs with open decisions, what Cutaway states of them, and what is true.

`program` is one program in both forms. `generator` makes them: from `states` (and `more_states`, `packages`), which are
changed, `controls`, which decide whether, `decisions`, which are open, and parts in which these are one (`direct`).
`truth` runs a program with the real torch, `statement` says what counts as stated, `judge` compares both, and `minimise`
makes a wrong program small. `cases.md` has programs written by hand.
"""
