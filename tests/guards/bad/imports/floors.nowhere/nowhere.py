"""Bad: a module that is on no floor."""
