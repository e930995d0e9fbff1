"""The sufficient statistics of data: frozen or streaming, mergeable, exact.

One module a kind; `confusion` may read a `scores` table, `regression` imports neither.
"""
