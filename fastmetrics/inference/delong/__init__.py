"""The AUC's variance in closed form: DeLong's interval and tests, Newcombe's interval.

May import `measures`, and the files of the floor; no other room.
"""
