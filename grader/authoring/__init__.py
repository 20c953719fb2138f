"""For authors of a course: stubs, scaffolds, verification, figures, release kits."""
