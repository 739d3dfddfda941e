# SPDX-License-Identifier: GPL-2.0-only
"""Words that start a program on a number of ranks, on one machine or on the nodes of an allocation."""

import os
import shlex
import shutil
import string

from . import allocation, mpi, shell

#: Words in braces of the user's own launcher.
FIELDS = ("ranks", "threads", "nodes", "ranks_per_node")
#: Programs that start ranks on other machines than this one.
ELSEWHERE = frozenset("srun salloc jsrun aprun flux prun ccc_mprun ssh".split())


class Launcher:
    """Starts ranks: by the user's own words, else by the launcher of the MPI library.

    Args:
        library: An Mpi; None if the user's own words are given.
        template: The user's own words, such as "srun -n {ranks} -c {threads}".
        where: An Allocation; without it the one that the environment describes.

    Raises:
        shell.Failure: The template has other fields, or lacks {ranks}.
    """

    def __init__(self, library, template="", where=None):
        self.library = library
        self.template = template
        self.where = where or allocation.find()
        if template:
            check_template(template)

    @property
    def is_here(self):
        """Whether ranks run on this machine, as far as is known."""
        return bool(self.where.scheduler) or not ELSEWHERE & set(map(os.path.basename, shlex.split(self.template)))

    def warning(self, ranks, threads=1):
        """What to say of more ranks and threads than there are cores; empty if there are enough."""
        if not self.is_here or self.where.room_for(ranks, threads):
            return ""
        with_threads = f" with {allocation.count(threads, 'thread')} each" if threads > 1 else ""
        return (f"{allocation.count(ranks, 'rank')}{with_threads} on {allocation.count(self.where.total, 'core')}: "
                f"more than one for each core, so that they wait for each other, and a step takes several times longer")

    def words(self, ranks, threads=1):
        """Words in front of the program.

        Each node gets the same number of ranks, and each rank is bound to a core for each of its threads. If there are
        fewer cores than threads, the ranks are not bound.
        """
        per_node = self.where.ranks_per_node(ranks)
        if self.template:
            values = dict(zip(FIELDS, (ranks, threads, self.where.nodes, per_node)))
            return [word.format(**values) for word in shlex.split(self.template)]
        if not self.where.scheduler:
            return mpi.launch(self.library, ranks, threads)
        return [*mpi.free_launch(self.library, self.binding(ranks, threads)), "-np", str(ranks)]

    def binding(self, ranks, threads):
        """Options that place the ranks on the nodes of an allocation."""
        per_node, bound = self.where.ranks_per_node(ranks), self.where.room_for(ranks, threads)
        if self.library.name == "mpich":
            hosts = ["-hosts", ",".join(self.where.hosts)] if self.where.hosts else []
            return [*hosts, "-ppn", str(per_node), "-bind-to", f"core:{threads}" if bound else "none"]
        slots = max(per_node, *self.where.cores)
        hosts = ["--host", ",".join(f"{name}:{slots}" for name in self.where.hosts)] if self.where.hosts else []
        if not bound:
            return [*hosts, "--map-by", f"ppr:{per_node}:node", "--oversubscribe", "--bind-to", "none"]
        return [*hosts, "--map-by", f"ppr:{per_node}:node:PE={threads}", "--bind-to", "core"]


def check_program(template):
    """Refuse words of the user that start nothing here.

    Raises:
        shell.Failure: Their program is not on the search path.
    """
    try:
        words = shlex.split(template)
    except ValueError as error:
        raise shell.Failure(f"--launch {template!r}: {error}") from None
    if words and not shutil.which(words[0]):
        raise shell.Failure(f"--launch {template!r}: there is no program {words[0]} on the search path")


def check_template(template):
    """Refuse words that would start something else than the wanted number of ranks.

    Raises:
        shell.Failure: A field is unknown, or {ranks} is missing.
    """
    try:
        fields = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise shell.Failure(f"--launch {template!r}: {error}") from None
    unknown = [name for name in fields if name not in FIELDS]
    if unknown or "ranks" not in fields:
        known = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise shell.Failure(f"--launch {template!r}: it needs {{ranks}} and knows {known}, as in "
                            f"'srun -n {{ranks}} -c {{threads}}'")
