"""Bad: modules reached by a text, which the contract of the floors does not see."""

import importlib
from importlib import import_module


def draw(result):
    plots = importlib.import_module("fastmetrics._plots.tests")
    tables = __import__("fastmetrics.tables")
    return plots, tables, import_module
