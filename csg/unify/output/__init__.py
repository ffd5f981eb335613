"""What a united program becomes: C, a check that it is both versions, published annotations."""
