"""``fastmetrics bench``: benchmarks of two versions of a project, run in turns, and a decision."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from fastmetrics.cli.commands.compare_benchmarks import (
    DECISION,
    DEFAULTS as DECIDED,
    asked,
    margin,
    output,
    shared,
)

if TYPE_CHECKING:
    from pathlib import Path

    from fastmetrics.cli._bench_sides import Side
    from fastmetrics.comparison.timings.compare_timings import Plan
    from fastmetrics.comparison.timings.files import TimingRun
    from fastmetrics.comparison.timings.timings_result import TimingComparison

ABOUT: Final = "run benchmarks of two versions in turns, and decide whether anything became slower"
FORMATS: Final = ("table", "json", "csv", "markdown")
HELP: Final = """\
Did this change make anything slower? The benchmarks are run with the working tree and with a
revision, each in a folder of its own, in turns (before, after, after, before, ...), every run a
fresh process; each round of two runs counts as one. By default one looks after 4, 8 and 16 rounds,
stops as soon as it is decided, and all looks together err as rarely as one would.

What follows -- is run in both folders: pytest with pytest-benchmark, or anything that writes times
of pyperf, hyperfine or asv to {output}. Benchmarks that it names by path are those of the working
tree on both sides. The current interpreter finds the project by its folder (or src in it); what has
to be built or installed is, with --install, each side in a virtual environment of its own, behind
which lies the current one. A first run of each side is not counted.

exit status: 0 nothing is worse, 1 something is, 2 it cannot be done, 3 undecided"""

EXAMPLES: Final = """\
examples:
  fastmetrics bench --against main -- pytest benchmarks
  fastmetrics bench --against v1.2 --rounds 10 --margin 10% --control '*parse*' -- pytest bench
  fastmetrics bench --against HEAD~1 --install 'pip install .' -- pytest benchmarks
  fastmetrics bench --before-python old/bin/python --after-python new/bin/python -- pytest bench
  fastmetrics bench --against HEAD --aa --rounds 10 -- pytest benchmarks
"""
#: The most rounds of a plan with looks.
_MOST: Final = 16


class _Found(NamedTuple):
    """What was decided, of how many rounds, what of the controls moved, and how often equals do."""

    of: TimingComparison
    n_rounds: int
    moved: list[str]
    alarms: float | None


OPTIONS: Final = f"""
[--against REV]  what was before, as git calls it: branch, tag or hash
[--rounds N]  pairs of runs, or auto: as many as decide, in a plan of three looks (default auto)
[--most-rounds N]  of that plan; it looks after a quarter, a half and all of them (default {_MOST})
[--control NAME]...  a benchmark, or pattern as 'parse*', that the change does not touch: where it
    moves by more than the margin, up or down, the sides differ by something else, and nothing is
    decided; may be repeated
[--aa]  take the revision for both sides, and say how often equal code would be called worse on this
    machine (--rounds, 10 by default)
[--install COMMAND]  install each side into an environment of its own, as 'pip install .'
[--before-python FILE]  the interpreter of what was before
[--after-python FILE]  the interpreter of what was after
[--package NAME]...  what is compared: each side must import its own (default: what the project
    holds)
[--keep DIR]  keep the files of all runs, before-01.json and so on
{DECISION}"""


def _rounds(text: str) -> int | None:
    """Return a number of rounds; None for as many as decide."""
    if text == "auto":
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"must be auto or an integer of at least 2: got {text!r}")
    return int(text)


TYPES: Final = {"rounds": _rounds, "most_rounds": _rounds, "margin": margin}
DEFAULTS: Final = {"most_rounds": _MOST, "control": [], "package": [], **DECIDED}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what is run."""
    about = "what runs the benchmarks, after two dashes"
    command.add_argument("work", nargs="+", metavar="-- COMMAND", help=about)


def run(options: argparse.Namespace) -> str:
    """Make the sides, run them in turns, decide, and return the output."""
    from fastmetrics.cli._bench_sides import two_sides
    from fastmetrics.cli._messages import tell
    from fastmetrics.comparison.timings.compare_timings import plan_of

    pythons = (options.before_python, options.after_python)
    if options.against is None and (None in pythons or options.aa or options.install):
        raise ValueError("--against REV is missing: what is it to be compared with?")
    if options.most_rounds is None:
        raise ValueError("--most-rounds must be an integer: it ends the plan")
    rounds = options.rounds or (10 if options.aa else None)
    plan = plan_of(rounds, options.most_rounds, options.confidence_level)
    sides = two_sides(
        options.against,
        options.work,
        same=options.aa,
        install=options.install,
        pythons=pythons,
        packages=options.package,
    )
    with _folder(options.keep) as folder, sides as both:
        for side in both:
            tell("note", f"{side.name}: {side.said}")
        if both[1].shared:
            tell("note", f"both run the working tree's {', '.join(both[1].shared)}")
        found = _decided(both, folder, plan, options)
    options.exit_status = 3 if found.moved else found.of.exit_status  # a control moved: undecided
    if options.aa:
        options.exit_status = int((found.alarms or 0.0) > 1 - options.confidence_level)
    text = _said(found, plan, options)
    shown = found.of._shown()
    shown = replace(shown, notes=[*shown.notes, *text])
    more = {
        "rounds": found.n_rounds,
        "looks": list(plan.looks),
        "controls_moved": found.moved,
        "false_alarms": found.alarms,
    }
    return output(found.of, shown, options, "bench", more)


@contextmanager
def _folder(keep: str | None) -> Iterator[Path]:
    """Give a folder for the files of the runs."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    if keep is None:
        with TemporaryDirectory() as name:
            yield Path(name)
        return
    folder = Path(keep)
    folder.mkdir(parents=True, exist_ok=True)
    old = [*folder.glob("before-*.json"), *folder.glob("after-*.json")]
    if old:
        raise ValueError(f"--keep: {old[0]} is of other runs: name an empty folder")
    yield folder.resolve()


def _decided(
    both: tuple[Side, Side], folder: Path, plan: Plan, options: argparse.Namespace
) -> _Found:
    """Run the sides in turns until a look decides, or the plan ends."""
    from fastmetrics._threads.workers import progress_bar
    from fastmetrics.cli._messages import tell
    from fastmetrics.comparison.timings.files import read_timings

    runs: tuple[list[TimingRun], list[TimingRun]] = ([], [])

    def take(which: int, number: int) -> TimingRun:
        path = folder / f"{both[which].name}-{number:02d}.json"
        fault = both[which].run(options.work, path)
        if fault and number == 0:
            tell("warning", f"{both[which].name}: {fault}")
        found = read_timings(path)
        if number == 0:
            path.unlink()
        return found

    with progress_bar(None, 2 * (plan.looks[-1] + 1), "running", "runs") as move:
        done: Callable[[int], object] = move or (lambda _: None)
        for which in (0, 1):
            take(which, 0)
            done(1)
        for number in range(1, plan.looks[-1] + 1):
            for which in (0, 1) if number % 2 else (1, 0):
                runs[which].append(take(which, number))
                done(1)
            if number in plan.looks:
                found = _look(*runs, plan, options)
                if found.of.decision != "undecided" or number == plan.looks[-1]:
                    return found
                tell("note", f"after {number} rounds: {found.of!r}")
    raise AssertionError("a plan ends with a look")


def _look(
    before: list[TimingRun], after: list[TimingRun], plan: Plan, options: argparse.Namespace
) -> _Found:
    """Decide by the rounds there are."""
    from fnmatch import fnmatchcase

    import numpy as np

    from fastmetrics.comparison.timings.compare_timings import alarm_rate, compare_timings, moved

    old, new = shared(before, after)
    controls = [name for name in old[0] if any(fnmatchcase(name, each) for each in options.control)]
    if options.control and not controls:
        raise ValueError(f"--control: no benchmark is like {options.control[0]!r}")
    if len(controls) == len(old[0]):
        raise ValueError("--control names every benchmark: none is left to be judged")

    def part(runs: list[TimingRun], of_controls: bool) -> list[TimingRun]:
        return [
            replace(
                run, rounds={name: run[name] for name in run if (name in controls) == of_controls}
            )
            for run in runs
        ]

    given = asked(options) | {"confidence_level": plan.level}
    found = compare_timings(part(old, False), part(new, False), paired=True, **given)
    other = moved(part(old, True), part(new, True), **given) if controls else []
    alarms = None
    if options.aa:
        growth = [
            [np.mean(np.log(b[name])) - np.mean(np.log(a[name])) for name in a]
            for a, b in zip(part(old, False), part(new, False), strict=True)
        ]
        margins = [row.margin for row in found]
        alarms = alarm_rate(growth, margins, 1 - options.confidence_level)
    return _Found(found, len(before), other, alarms)


def _said(found: _Found, plan: Plan, options: argparse.Namespace) -> Sequence[str]:
    """Return what is said below the table."""
    looks, alpha = ", ".join(map(str, plan.looks)), 1 - options.confidence_level
    said = [f"{found.n_rounds} rounds of two runs, in turns."]
    if len(plan.looks) > 1:
        said = [
            f"{found.n_rounds} rounds of two runs, in turns. The plan looks after {looks}; each "
            f"look errs by at most {1 - plan.level:.3g}, all together by at most {alpha:.3g}."
        ]
    if found.moved:
        said.append(
            f"Nothing is decided: {', '.join(found.moved)}, which nobody changed, moved by more "
            "than the margin. The sides differ by something else than the change."
        )
    elif options.control:
        said.append("The controls stayed within the margin.")
    if found.alarms is not None:
        said.append(
            f"Sides of rounds swapped at random, equal code is called worse in {found.alarms:.1%} "
            f"of tries (asked: at most {alpha:.1%})."
        )
    return said
