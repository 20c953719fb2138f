"""The verdict on a gradient and on a check: judged on hidden problems, as a row of the results."""
