"""What libraries contain: a table for each, from the names it gives its parts to what models them."""
