"""For whoever writes a course: stubs, scaffolding, proofs."""
