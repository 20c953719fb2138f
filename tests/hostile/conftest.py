"""Nothing in here is a test: these are submissions for tests/test_hostile.py, and some only look like tests."""

collect_ignore_glob = ["*"]
