"""One module per family of questions. Each has `pose(material, chance)`, which returns a question or None."""
