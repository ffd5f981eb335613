"""From observations to findings: what differs, what class it is, which changes are to blame."""
