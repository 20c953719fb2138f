"""Results that last: the database of OUT and what is current in it."""
