"""What an error means that Python or torch raised in a student's code."""
