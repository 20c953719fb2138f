"""What people and other programs read: reports, pages, exports."""
