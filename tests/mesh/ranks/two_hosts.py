"""Two hosts on this machine: network namespaces with a cable between them, and names of their own.

An Open MPI starts processes on them by AGENT in place of ssh. Needs root, ip, nsenter, pgrep and
unshare.
"""
import contextlib
import os
import shutil
import subprocess

MPIRUN = shutil.which("mpirun")
HOSTS = ("10.77.0.1", "10.77.0.2")  # a name is an address, so that nobody need know it
AGENT = """#!/bin/sh
host=$1; shift
exec nsenter --net=/run/netns/$host unshare --uts sh -c "hostname $host; $*"
"""


def missing():
    """Why there can be none here, or an empty text."""
    if os.geteuid() != 0:
        return "only root makes hosts"
    for tool in ("mpirun", "ip", "nsenter", "pgrep", "unshare"):
        if shutil.which(tool) is None:
            return f"no {tool}"
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout
    return "" if "Open MPI" in version else "mpirun is of another MPI than Open MPI"


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def processes(host, command):
    """Ids of those that run `command` on `host`."""
    on_host = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True,
                             check=True).stdout.split()
    alike = subprocess.run(["pgrep", "-x", command], capture_output=True, text=True).stdout.split()
    return {int(pid) for pid in on_host} & {int(pid) for pid in alike}


@contextlib.contextmanager
def two_hosts(folder):
    """Gives the words that begin a command of the launcher, which runs on the first one."""
    agent = folder / "agent"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    try:
        for host in HOSTS:
            ip("netns", "add", host)
        ip("link", "add", "mesh-a", "netns", HOSTS[0], "type", "veth",
           "peer", "name", "mesh-b", "netns", HOSTS[1])
        for host, end in zip(HOSTS, ("mesh-a", "mesh-b")):
            ip("-n", host, "address", "add", f"{host}/24", "dev", end)
            for device in ("lo", end):
                ip("-n", host, "link", "set", device, "up")
        yield [agent, HOSTS[0], f"exec {MPIRUN} --prtemca plm_ssh_agent {agent} "
               f"--host {','.join(f'{host}:1' for host in HOSTS)} -np 2"]
    finally:
        for host in HOSTS:
            subprocess.run(["ip", "netns", "delete", host], check=False)
