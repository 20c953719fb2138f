"""The lecture's notebook, and scripts in its manner, as a lesson's file."""
