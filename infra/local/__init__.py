"""The local runner: the real handlers behind a local front, with embedded DynamoDB and SQS."""
