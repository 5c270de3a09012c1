"""What differs between languages: one TOML file for each, and their loader."""
