"""From a submission to its results: workers, hidden suites, batches, the gradebook."""
