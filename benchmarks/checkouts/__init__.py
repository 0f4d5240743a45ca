"""Two checkouts of Cutaway on the same targets: are their results equal?"""
