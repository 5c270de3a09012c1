"""Items of an account: its profile, its event feed and its idempotency records."""
