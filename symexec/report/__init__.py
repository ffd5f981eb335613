"""What a run found: report.json for programs, a page and a table for people.

session.build        run a job, keep its folder true       exploring.explore   one program alone
model.Report         all that report.json says             page, table         for people
folder.LiveReport    what is on disk while it runs         replaying           a folder once more
"""
