"""Rankings by query: where the relevant items stand. The only rankings that measures see.

Imports the floors below; no other room of tables.
"""
