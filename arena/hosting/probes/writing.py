"""Changes what others read: programs, libraries, the kernel's switches, its own mounts."""

import os

from bait import done, libc, refused

for folder in ("/", "/bot", "/usr/bin", "/usr/lib", "/etc", "/whiteout/lib", "/dev", "/run", "/run/whiteout", "/home"):
    with refused(f"a new file in {folder}"), open(f"{folder}/probe", "w"):
        pass
for path in ("/bot/bait.py", "/usr/bin/env", os.__file__):
    with refused(f"writing to {path}"), open(path, "r+b"):
        pass
    with refused(f"the rights of {path}"):
        os.chmod(path, 0o777)
for switch in (
    "/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches",
    "/proc/self/loginuid", "/proc/irq/default_smp_affinity", "/sys/fs/cgroup/cgroup.procs",
):  # fmt: skip
    with refused(f"the switch {switch}"), open(switch, "w") as file:
        file.write("0")
with refused("a lower place in the kernel's reckoning of memory"), open("/proc/self/oom_score_adj", "w") as file:
    file.write("-500")
with refused("a device"):
    os.mknod("/tmp/probe", 0o060666, os.makedev(8, 0))
for path in ("/tmp", "/proc", "/"):
    with refused(f"a mount on {path}"):
        if libc.mount(b"none", path.encode(), b"tmpfs", 0, None) != 0:
            raise OSError
    with refused(f"a writable {path}"):
        if libc.mount(b"none", path.encode(), None, 0x1020, None) != 0:
            raise OSError
    with refused(f"taking {path} away"):
        if libc.umount2(path.encode(), 2) != 0:
            raise OSError
with refused("another root"):
    os.chroot("/tmp")
done()
