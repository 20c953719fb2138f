"""Calls of a student's functions and classes: how they are called, what came of a call. Starts no process."""
