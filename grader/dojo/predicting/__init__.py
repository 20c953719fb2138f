"""`dojo predict`: questions about what code will do, whose keys are what it does when it runs."""
