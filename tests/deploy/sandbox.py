"""
A root file system run as a container is: of its own, read-only, as user 65532 without capabilities or new privileges, with
the mounts that it is given and nothing else of this machine but its network.

As root by way of a mount namespace; as anybody else with a user namespace besides. The process is the program itself, so
signals and exit codes are its own.
"""
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys

USER = 65532
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP = 1, 38, 24
DEVICES = ("null", "zero", "urandom", "random")


class Sandbox:
    """mounts: place inside -> (folder or file, writable). The root's files are linked, not copied."""

    def __init__(self, rootfs, folder, mounts):
        self.root = pathlib.Path(folder) / "root"
        self.mounts = {place: (str(source), writable) for place, (source, writable) in mounts.items()}
        shutil.copytree(rootfs, self.root, symlinks=True, copy_function=link)
        (self.root / "dev").mkdir(exist_ok=True)
        for name in DEVICES:
            (self.root / "dev" / name).touch()
        for place, (source, writable) in self.mounts.items():
            target = self.root / place.lstrip("/")
            if os.path.isdir(source):
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.touch()
            if writable and os.geteuid() == 0:
                os.chown(source, USER, USER)

    def start(self, arguments, env=None, program="/usr/bin/plimsoll", **options):
        plan = {"root": str(self.root), "mounts": self.mounts, "program": program, "arguments": list(arguments),
                "env": env or {}, "parent": os.getpid()}
        return subprocess.Popen([sys.executable, "-B", __file__, json.dumps(plan)], **options)

    def run(self, *arguments, want=0, env=None, **options):
        """(stdout, stderr)"""
        process = self.start(arguments, env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        out, err = process.communicate(timeout=120)
        assert want is None or process.returncode == want, f"{arguments}: exit {process.returncode}\n{out[-1500:]}\n{err[-1500:]}"
        return out, err


def link(source, target):
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another file system
        shutil.copy2(source, target, follow_symlinks=False)


# ---- in the new process -----------------------------------------------------------------------------------

LIBC = ctypes.CDLL(None, use_errno=True)


def must(what, result):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def mount(source, target, flags):
    must(f"mount {source} {target}", LIBC.mount(str(source).encode(), str(target).encode(), None, flags, None))


def bind(source, target, writable):
    mount(source, target, MS_BIND | MS_REC)
    if not writable:
        # What the file system forbids already stays forbidden: of a user namespace that is demanded.
        held = os.statvfs(target).f_flag & (MS_NOSUID | MS_NODEV)
        mount(source, target, MS_REMOUNT | MS_BIND | MS_RDONLY | held)


def enter(plan):
    root, uid, gid = plan["root"], os.geteuid(), os.getegid()
    if uid == 0:
        must("unshare", LIBC.unshare(CLONE_NEWNS))
    else:
        must("unshare", LIBC.unshare(CLONE_NEWNS | CLONE_NEWUSER))
        for name, text in (("setgroups", "deny"), ("uid_map", f"{USER} {uid} 1"), ("gid_map", f"{USER} {gid} 1")):
            pathlib.Path("/proc/self", name).write_text(text, encoding="ascii")
    mount("none", "/", MS_REC | MS_PRIVATE)
    mount(root, root, MS_BIND)
    for name in DEVICES:
        bind(f"/dev/{name}", f"{root}/dev/{name}", True)
    mount("/proc", f"{root}/proc", MS_BIND | MS_REC)
    for place, (source, writable) in plan["mounts"].items():
        bind(source, root + place, writable)
    mount(root, root, MS_REMOUNT | MS_BIND | MS_RDONLY)
    os.chroot(root)
    os.chdir("/")


def give_up_rights():
    for capability in range(64):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # those that this kernel knows
    if os.geteuid() != USER:
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
    must("no_new_privs", LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    must("pdeathsig", LIBC.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0))


def main():
    plan = json.loads(sys.argv[1])
    enter(plan)
    give_up_rights()
    if os.getppid() != plan["parent"]:
        sys.exit("the test is gone")
    os.execve(plan["program"], [plan["program"], *plan["arguments"]], plan["env"])


if __name__ == "__main__":
    main()
