"""Which mistake it is: from a wrong answer to a sentence that names the slip."""
