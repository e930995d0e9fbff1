"""Bad: a metric that imports an interval when it is called."""


def late():
    import fastmetrics.inference
