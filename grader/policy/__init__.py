"""The static check of what a submission may use."""
