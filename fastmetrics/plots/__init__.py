"""Figures of computed results; matplotlib is imported when one is drawn."""
