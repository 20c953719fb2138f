"""Which mistake it is: each way of reading a wrong gradient in a module of its own."""
