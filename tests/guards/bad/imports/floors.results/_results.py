"""Bad: the ground that stands on a table."""
