"""What leaves the instructor's machine: the engine, the student kit, and the proof that no secret is in it."""
