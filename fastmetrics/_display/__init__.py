"""How results are shown: what they say of themselves, as text, as HTML, as a data frame.

May import errors. Knows no result: those are described by a `Display` of tables.
"""
