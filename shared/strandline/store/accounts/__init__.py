"""What an account has once: its profile, its event feed and its idempotency records."""
