"""Nothing in here is a test: these are submissions for tests/end_to_end/test_hostile.py, and some only look like tests."""

collect_ignore_glob = ["*"]
