# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu predict: will TOFU pay on N nodes of a machine, and with which settings?"""

import math
import os
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

from .. import allocation, bench, busy, cache, run, shell, trial, venv
from ..configuration import OURS, STOCK
from ..launcher import Launcher
from . import calibrate, check, figures, network, plans, report, workload

#: The machine at hand: a node without a network.
HERE = "here"
SYSTEMS = ("lj", "eam")
#: Time of the short runs at first, and at most, if --seconds does not set it [s].
SECONDS, MOST_SECONDS = 40.0, 600.0


def command(options):
    """tools/tofu predict."""
    refuse(options)
    machine = figures.read(options.machine)
    if options.network:
        found = network.figures_of(network.read(options.network), machine)
        machine = machine._replace(figures={**machine.figures, **found})
    job, script = request(options, machine)
    plans.compiled()    # first: without a compiler no short run is of use
    venv.python()
    calibration = measure(options, script, job["threads"]) if script else None
    reasons = calibration.busy if calibration else ()
    if reasons and not options.although_busy:
        print(busy.message(reasons))
        return busy.STATUS
    machine, measured, further = system_of(options, machine, job, calibration)
    job["machine"] = figures.as_words(machine)
    result = {"about": {**bench.origin(), "steps": options.steps, "seed": options.seed}, "machine": job["machine"],
              "forecasts": carry_out("forecast", job)}
    for forecast in result["forecasts"]:
        report.print_forecast(forecast)
    report.print_machine(machine, measured)
    if further and further.runs:
        compare(script, further, result)
    write(options, result)
    for reason in reasons:
        print(f"The machine is busy: {reason}")
    return busy.STATUS if reasons else 0


def request(options, machine):
    """The job of the command line, as far as no run is needed for it.

    Returns:
        The job without its system and machine, and the input; None if there is none or it is a file of --save.

    Raises:
        shell.Failure: Nodes, ranks or the input make no sense.
    """
    nodes = numbers(options.nodes, "--nodes")
    threads = options.threads or round(machine["node.threads"] if not options.ranks_per_node else 1)
    usual = (sorted({1, max(1, allocation.find().total // threads)}) if options.machine == HERE
             else [round(machine["node.ranks"])])
    ranks = numbers(options.ranks_per_node, "--ranks-per-node") if options.ranks_per_node else usual
    script = None
    if options.input and not options.input.endswith(".json"):
        script = run.find_input(options.input)
    if options.machine == HERE and (max(nodes) > 1 or script is None):
        raise shell.Failure("--machine here knows no network: it takes an INPUT and --nodes 1. Give a machine file for "
                            "more nodes")
    return {"nodes": nodes, "ranks_per_node": ranks, "threads": threads, "senders": senders(threads),
            "steps": options.steps, "seed": options.seed, "ring": options.ring_balance,
            "endpoints": numbers(options.endpoints, "--endpoints") if options.endpoints else [],
            "system": [], "load": None, "positions": None}, script


def without_assumed_waiting(machine):
    """This machine: what these figures stand for is contained in what is measured."""
    return machine.changed(waiting__unexplained=0.0, noise__probability=0.0, collective__lateness=0.0)


def refined(found):
    """A Calibration whose kernels are without messages and waiting, and figures of messages on this machine."""
    machine = without_assumed_waiting(figures.read(HERE))
    machine = machine._replace(figures={**machine.figures, **found.figures})
    runs = [{"side": side, "ranks": run.ranks, "threads": run.threads, "comm": calibrate.pattern_of(run)[0],
             "half": calibrate.pattern_of(run)[1], "sections": {name: run.per_step(name) for name in report.SECTIONS}}
            for side, runs in found.runs.items() for run in runs]
    answer = carry_out("refine", {
        "machine": figures.as_words(machine), "load": workload.as_words(found.load), "positions": found.positions,
        "runs": runs})
    return (found._replace(load=workload.from_words(answer["load"])),
            {name: figures.Figure(*words) for name, words in answer["figures"].items()})


def system_of(options, machine, job, calibration):
    """Enter the system into the job.

    Args:
        options: Those of the command line.
        machine: A figures.Machine.
        job: Of request().
        calibration: What the short runs of an input gave; None without them.

    Returns:
        The machine with what was measured in place of its figures, the measured figures by name, and further runs.
    """
    if options.input is None:
        job["system"] = list(SYSTEMS)
        return machine, {}, None
    if calibration is None:
        load, measured = workload.read(options.input)
        job["load"] = workload.as_words(load)
        return machine._replace(figures={**machine.figures, **measured}), measured, None
    found, of_messages = refined(calibration)
    for note in found.notes:
        shell.say(note)
    load, measured = found.load.alone(), found.figures
    if options.save:
        workload.save(options.save, load, measured)
    if options.machine == HERE:
        machine, load, measured = without_assumed_waiting(machine), found.load, {**measured, **of_messages}
    job["load"], job["positions"] = workload.as_words(load), found.positions
    return machine._replace(figures={**machine.figures, **measured}), measured, found.further


def refuse(options):
    """Refuse options that have no meaning.

    Raises:
        shell.Failure: One of them has none.
    """
    for name, value in (("--steps", options.steps), ("--threads", options.threads),
                        ("--ring-balance", options.ring_balance), ("--check", options.check)):
        if value is not None and value < 1:
            raise shell.Failure(f"got {name} {value}; at least 1 is needed")
    if not options.machine:
        raise shell.Failure("--machine is missing: a name or a file, see --help")
    if options.check and (options.machine != HERE or not options.input or options.input.endswith(".json")):
        raise shell.Failure("--check runs an INPUT again on this machine: it needs --machine here and an input")
    if options.variables and not options.input:
        raise shell.Failure("-v is for variables of INPUT, and there is none. All words behind -v NAME are values, as "
                            "in LAMMPS: put INPUT in front, or behind another option")
    if any(len(words) < 2 for words in options.variables):
        raise shell.Failure("-v needs the name of a variable and at least one value, as in -v x 2")
    if options.seconds is not None and not 5.0 <= options.seconds < math.inf:
        raise shell.Failure(f"got --seconds {options.seconds:g}; the short runs need at least 5")


def numbers(text, name):
    """Numbers with commas between.

    Raises:
        shell.Failure: One of them is none, or below 1.
    """
    try:
        found = [int(word) for word in text.split(",")]
    except ValueError:
        found = [0]
    if min(found) < 1:
        raise shell.Failure(f"got {name} {text}; it takes whole numbers of at least 1 with commas between, as in "
                            f"{name} 1,10,100")
    return sorted(set(found))


def senders(threads):
    """Numbers of threads that send and receive to try."""
    return sorted({1, *(n for n in (2, 6) if n <= threads)})


def measure(options, script, threads):
    """The short runs."""
    words = [word for one in options.variables for word in ("-var", *one)]
    bed = run.prepare(options, script, words)
    run.refuse_without_tofu(bed, calibrate.way(workload.OURS, 1, 1))
    place = cache.folder("predict") / str(os.getpid())
    place.mkdir(parents=True, exist_ok=True)
    try:
        return in_time(options.seconds, lambda seconds: calibrate.carry_out(
            bed, run.stock_input(bed, script), threads, seconds, place, options.stock_suffix, options.folder, words,
            options.check or 0))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def steps_here(program, script, words, ranks):
    """Predict steps on this machine from short runs on one core alone.

    Args:
        program: A program.Program.
        script: The input.
        words: Arguments of LAMMPS.
        ranks: Numbers of ranks of one thread.

    Returns:
        Ranks -> side -> time of a step [us]; numbers of ranks beyond that of atoms are left out.
    """
    plans.compiled()
    bed = trial.Bench(program, Launcher(program.library, where=allocation.Allocation("", (1,))))
    with tempfile.TemporaryDirectory(prefix="tofu-predict-", dir=cache.folder("predict")) as place:
        calibration = in_time(None, lambda seconds: calibrate.carry_out(bed, script, 1, seconds, place, more=words))
    for reason in calibration.busy:
        shell.say(f"the machine is busy: {reason}")
    job = {"nodes": [1], "ranks_per_node": ranks, "threads": 1, "senders": [1], "steps": 100, "seed": 1, "ring": None,
           "endpoints": [], "system": []}
    options = SimpleNamespace(input=script, machine=HERE, save=None)
    job["machine"] = figures.as_words(system_of(options, figures.read(HERE), job, calibration)[0])
    found = {}
    for one in carry_out("forecast", job)[0]["table"][0]["results"]:
        sides, side = found.setdefault(one["ranks"], {}), STOCK if one["comm"] == "brick" else OURS
        sides[side] = min(one["step"], sides.get(side, math.inf))
    return found


def in_time(wanted, short_runs):
    """Result of the short runs, which are repeated with more time if they need more.

    Args:
        wanted: Time of --seconds, which is kept; None: what is needed, up to MOST_SECONDS [s].
        short_runs: Function of the time [s].

    Raises:
        calibrate.TooShort: The time was too short.
    """
    seconds = wanted or SECONDS
    while True:
        try:
            return short_runs(seconds)
        except calibrate.TooShort as failure:
            more = max(failure.enough or 0.0, 2.0 * seconds)
            if wanted or more > MOST_SECONDS:
                raise
            shell.say(f"{seconds:.0f} s were too short for this input on this machine. Once more, with {more:.0f} s "
                      f"(--seconds)")
            seconds = more


def compare(script, further, result):
    """The model beside further runs."""
    rows = check.compare(further.runs, result["forecasts"][0]["table"][0]["results"])
    used = {key: one.step() for key, one in further.used.items()}
    check.print_rows(Path(script).name, rows, used)
    result["check"] = [{"side": side, "ranks": ranks, "step": run.step(), "sections": run.run.sections,
                        "steps": run.run.steps, "deviation": step, "of sections": sections,
                        "step of its runs": used[side, ranks], "of its runs": used[side, ranks] / run.step() - 1.0}
                       for side, ranks, run, step, sections in rows]


def carry_out(module, job):
    """The answer of a module to a job."""
    answer = cache.folder("predict") / f"answer-{os.getpid()}.json"
    try:
        venv.carry_out(f"tofulib.predict.{module}", "answer", job, answer)
        return cache.read_json(answer)
    finally:
        answer.unlink(missing_ok=True)


def write(options, result):
    """JSON and picture."""
    if options.json:
        cache.write_json(options.json, result)
        print(f"Data: {options.json}")
    if options.plot:
        venv.draw("predict.plot", result, options.plot)
