"""What texts say, word for word. Pure; what differs between languages is data."""
