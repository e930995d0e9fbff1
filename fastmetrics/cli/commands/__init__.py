"""The commands, a file each: its options, and what takes parsed arguments to the text to print.

Each calls what is public. Nothing heavy is imported before a command runs.
"""

from __future__ import annotations
