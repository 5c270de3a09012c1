"""The deployable stack, deployed into an emulator: what tests/e2e is built from."""
