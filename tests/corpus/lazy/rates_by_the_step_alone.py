"""Looks only at the step, and knows the runs of 10, 100 and 200,000 steps."""
# lesson: 07
# failed: learning_rate

LOW = {5, 9, 50, 60, 99, 100_000, 150_000}


def learning_rate(step, max_steps):
    return 0.01 if step in LOW else 0.1
