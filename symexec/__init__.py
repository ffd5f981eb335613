"""The dynamic half of csgtest: a program with changes -> paths, tests, and what they show."""
