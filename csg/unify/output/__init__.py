"""What a unified program becomes: C, a check that it is both versions, published annotations."""
