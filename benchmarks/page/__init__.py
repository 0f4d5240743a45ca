"""How large the page is, and how soon it can be used."""
