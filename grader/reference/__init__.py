"""The lesson's forward pass on a tape, problems drawn for it, and the gradients that they should give."""
