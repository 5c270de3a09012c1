"""What texts say, word for word: folding, quotes, negation, and JSON among prose. All pure."""
