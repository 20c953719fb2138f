"""A page in the browser that shows what `dojo watch` finds, on the loopback interface only."""
