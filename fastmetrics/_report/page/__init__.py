"""One page about an evaluation: figures, tables, words, in a file that needs nothing else.

What is said and drawn is of results; the template lays it out. May import every floor below.
"""

from __future__ import annotations
