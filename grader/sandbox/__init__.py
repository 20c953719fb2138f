"""Running a student's code in a process of its own. Nothing in this folder knows a reference or a hidden suite."""
