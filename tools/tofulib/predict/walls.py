# SPDX-License-Identifier: GPL-2.0-only
"""Walls between sub-boxes along one dimension, uneven ones and a boundary that is not periodic included.

Which rank needs ghosts of which other one follows from walls that all ranks know, as in src/TOFU/halo/halo_plan.cpp.
"""

BELOW, ABOVE = -1, 1


class Walls:
    """Sub-boxes along one dimension.

    Args:
        count: Number of sub-boxes.
        length: Of the box [distance].
        cut: How far ghosts are needed [distance].
        periodic: Whether the last sub-box is a neighbor of the first.
        splits: [count + 1] walls as parts of the box, from 0 to 1; None: all sub-boxes are equal.
    """

    def __init__(self, count, length, cut, periodic=True, splits=None):
        self.count, self.length, self.cut, self.periodic = count, length, cut, periodic
        self.equal = splits is None
        self.splits = [i / count for i in range(count)] + [1.0] if self.equal else list(splits)
        self.need = [{side: self.needed(at, side) for side in (BELOW, ABOVE)} for at in range(count)]

    @property
    def largest_need(self):
        """How many sub-boxes away ghosts come from at most."""
        return max(max(sides.values()) for sides in self.need)

    def needed(self, at, side):
        """How many sub-boxes away ghosts of a rank come from."""
        room = at if side == BELOW else self.count - 1 - at
        if self.equal:
            steps = int(self.cut * self.count / self.length) + 1
            return steps if self.periodic else min(steps, room)
        wanted, passed, steps = self.cut / self.length, 0.0, 0
        while passed < wanted and (self.periodic or steps < room):
            steps += 1
            there = self.at(at + side * steps)
            passed += self.splits[there + 1] - self.splits[there]
        return steps

    def at(self, place):
        """Place within the box."""
        return place % self.count

    def exists(self, place):
        """Whether there is a sub-box, of an image if the boundary is periodic."""
        return self.periodic or 0 <= place < self.count

    def receives(self, at, step):
        """Whether the rank at this place gets ghosts from so many sub-boxes below."""
        if not self.exists(at - step):
            return False
        return step == 0 or abs(step) <= self.need[at][BELOW if step > 0 else ABOVE]

    def sends(self, at, step):
        """Whether the rank so many sub-boxes above gets ghosts from this one."""
        return self.exists(at + step) and self.receives(self.at(at + step), step)

    def bound(self, place):
        """Lower wall of a sub-box or of its image [distance]."""
        return (self.splits[self.at(place)] + place // self.count) * self.length

    def side(self, place):
        """Length of a sub-box [distance]."""
        return self.bound(place + 1) - self.bound(place)

    def wanted(self, place, step):
        """Length of the part of a sub-box that is wanted so many sub-boxes above [distance]."""
        if step == 0:
            return self.side(place)
        if step > 0:
            free = self.bound(place + 1) - self.bound(place + step) + self.cut
        else:
            free = self.bound(place + step + 1) + self.cut - self.bound(place)
        return max(0.0, min(self.side(place), free))

    def shares(self, step):
        """[count] what is wanted of each sub-box so many sub-boxes above, as a part of it; None: nothing is sent."""
        return [self.part(self.wanted(at, step), at) if self.sends(at, step) else None for at in range(self.count)]

    def forwarded(self, number, sign):
        """[count] what each rank passes on to the next one in a round, as a part of its own sub-box: it came from
        another rank in the round before."""
        return [self.part(self.wanted(at - sign * (number - 1), sign * number), at)
                if self.exists(at + sign) and self.need[self.at(at + sign)][-sign] >= number else None
                for at in range(self.count)]

    def with_ghosts(self):
        """[count] length of a sub-box with its ghosts on both sides, as a multiple of its own."""
        found = []
        for at in range(self.count):
            ghosts = 2.0 * self.cut
            if not self.periodic:
                ghosts = min(self.cut, self.bound(at)) + min(self.cut, self.length - self.bound(at + 1))
            found.append(1.0 + self.part(ghosts, at))
        return found

    def part(self, length, at):
        """A length as a part of a sub-box."""
        side = self.side(at)
        return length / side if side > 0.0 else 0.0

    def mean(self, shares):
        """Mean over places of parts of their sub-boxes, in mean lengths of a sub-box."""
        return sum((share or 0.0) * self.side(at) for at, share in enumerate(shares)) / self.length
