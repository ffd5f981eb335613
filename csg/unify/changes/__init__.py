"""What a change is: its statements, its number, where it stands and why."""
