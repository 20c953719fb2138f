"""What was handed in: found, unpacked, read; never run."""
