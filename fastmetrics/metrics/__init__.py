"""Pure functions of tables, in rooms that are strangers to one another.

May import tables and what lies below; nothing here sorts, and nothing here judges raw data.
"""
