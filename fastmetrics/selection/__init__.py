"""Splitters, estimates of the error of a model, tuning, bias and variance."""
