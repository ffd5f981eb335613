"""Campaigns: from C files and options to tests."""

from symexec.campaign.running import run_concrete

__all__ = ["run_concrete"]
