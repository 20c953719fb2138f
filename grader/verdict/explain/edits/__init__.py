"""Small changes of a student's own code that make a wrong answer right."""
