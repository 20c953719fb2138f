"""`dojo train`: a lesson's training script, its terminal and its page."""
