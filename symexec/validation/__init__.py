"""Does a test natively take the branches that the search says it takes?"""
