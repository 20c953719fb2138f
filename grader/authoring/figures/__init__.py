"""Pictures for the lessons' READMEs, as SVG text that is the same on every machine."""
