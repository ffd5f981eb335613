"""A repository instead of two files: its revisions, how they are built, what they are made of."""
