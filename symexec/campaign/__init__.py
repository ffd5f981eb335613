"""Campaigns: two versions and options -> tests, each proved natively and explained.

Import the module that is needed: a run loads nothing of what a search needs.
"""
