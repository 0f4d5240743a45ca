"""What ten flags that nobody decides cost: all ways of a network against one of them."""
