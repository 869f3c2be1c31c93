"""The clocks that the measuring programs read."""

import time


def moment(process):
    """Return the time, the CPU of another process and that of this one, all in nanoseconds."""
    # The kernel's clock of a process, as clock_getcpuclockid(3) computes it.
    return (time.monotonic_ns(), time.clock_gettime_ns((~process << 3) | 2), time.process_time_ns())
