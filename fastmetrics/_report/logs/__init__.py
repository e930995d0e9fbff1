"""Logs of evaluations: which item a model got right, in which repeat.

Items are what varies, groups of items where they are known; all else is the one engine's. May
import evaluations, and every floor below.
"""

from __future__ import annotations
