"""What two submissions share that few others in the class have: reasons to look at them, never a verdict."""
