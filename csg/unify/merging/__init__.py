"""Two trees become one: expressions, statements, lists of them, functions."""
