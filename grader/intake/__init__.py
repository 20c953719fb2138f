"""What was submitted: notebooks and scripts as lesson files; submissions found, unpacked and recognised."""
