"""Revisions of a repository: how they are built, and which programs and libraries they consist
of."""
