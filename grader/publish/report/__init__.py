"""What people look at: pages, Markdown, grades.csv."""
