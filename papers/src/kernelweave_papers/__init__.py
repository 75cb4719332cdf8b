"""The papers' experiments, one folder a paper: functions that return rows."""
