# SPDX-License-Identifier: GPL-2.0-only
"""A model of a time step on any number of ranks, from the plan of messages, the figures of a machine and a short run.

What starts it (command, calibrate, machine, report, plans) needs Python alone. What works on arrays over ranks
(exchange, step, forecast, paper) needs numpy and runs in the virtual environment. doc/internals/prediction.md says what
the model has, what its figures are, and how far it was checked.
"""
