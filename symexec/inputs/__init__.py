"""What is symbolic at the start: the entry's parameters, structures, assumptions, files."""
