"""Processes that run a student's code: zygote, workers, the protocol, and the trusted side's end of it."""
