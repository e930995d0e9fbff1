"""The AUC's variance in closed form: DeLong's interval and tests, Newcombe's interval.

May import `measures`, and ``_models`` and ``_pvalues`` of the floor; no other room of intervals.
"""
