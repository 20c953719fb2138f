"""Reports on their way back to students, in the form that each platform reads."""
