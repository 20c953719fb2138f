"""Calls of a student's functions and classes: how they are called, and what a call gave. Starts no process."""
