"""From attempts and decisions to points: the assignment file, lateness, which attempt counts. No clock, no disk."""
