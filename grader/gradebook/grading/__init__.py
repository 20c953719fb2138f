"""From a submission to its results: hidden suites, sessions, grader processes, clusters."""
