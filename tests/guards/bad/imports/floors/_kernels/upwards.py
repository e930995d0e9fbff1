"""Bad: a kernel that reaches for the judge of inputs."""

import fastmetrics._input
