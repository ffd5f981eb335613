"""What a run found: report.json for programs, a page and a table for people."""

from symexec.report.folder import LiveReport, finish
from symexec.report.model import Interaction, Report, report_to_json
from symexec.report.replaying import Replayed, replay_folder
from symexec.report.table import print_report, print_tests

__all__ = [
    "Interaction",
    "LiveReport",
    "Replayed",
    "Report",
    "finish",
    "print_report",
    "print_tests",
    "replay_folder",
    "report_to_json",
]
