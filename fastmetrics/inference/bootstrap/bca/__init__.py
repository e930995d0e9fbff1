"""What BCa needs instead of refits: leave-one-out values in closed form, and accelerations.

May import `measures` and the samples of the bootstrap around it.
"""
