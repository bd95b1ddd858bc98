#!/bin/bash
# fresh.sh [COMMAND...]: the README's commands on a machine that has nothing but git and make.
#
# Makes a bare Debian root from the sources that this machine's own apt uses, clones HEAD into it
# and runs the commands there (`make run` and `make test` unless told otherwise); the last line is
# that of the last command. Root, mounts and processes live in namespaces and a folder that go with
# this script, however it ends. Ends with 77 where no such root can be had, else with 0 or 1.
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly NO_ROOT=77
[ $# -gt 0 ] || set -- "make run" "make test"

say() { echo "fresh: $*" >&2; }
impossible() { say "$*"; exit $NO_ROOT; }

# The host's Debian archives, a line each; archives of others have no place in a bare Debian.
sources() {
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Origin: Debian' 'Created-By: Packages'
}

make_root() { # of folder $1
  local lines suite
  lines=$(sources)
  [ -n "$lines" ] || { apt-get -qq update; lines=$(sources); }
  suite=$(awk '{ print $3; exit }' <<<"$lines")
  [ -n "$suite" ] || impossible "apt knows no Debian archive on this machine"
  echo "$lines" >"$1/sources.list"
  apt-config dump --no-empty --format '%f "%v";%n' |
    grep -E '^Acquire::(https?|Check|Retries|ForceIPv)' >"$1/apt.conf" || true
  say "making a bare $suite"
  mmdebstrap --quiet --variant=apt --include=ca-certificates,git,make --aptopt="$1/apt.conf" \
    --dpkgopt=force-unsafe-io "$suite" "$1/root" "$1/sources.list" ||
    impossible "mmdebstrap could not make a bare Debian"
}

furnish() { # the root $1: what a running machine has, our commit, and packages fetched before
  mount -t proc proc "$1/proc"
  mount -t sysfs -o ro sys "$1/sys"
  mount --rbind /dev "$1/dev"
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
  cp -l /var/cache/apt/archives/*.deb "$1/var/cache/apt/archives/" 2>/dev/null || true
  # The user of this script need not own the repository.
  HOME=$1/.. git config --global safe.directory '*'
  HOME=$1/.. git clone --quiet --no-hardlinks . "$1/srv/meshputer"
}

inside() { # folder $1, then the commands
  local folder=$1 command last=()
  shift
  make_root "$folder"
  furnish "$folder/root"
  for command in "$@"; do
    say "$command"
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv LANG=C.UTF-8 chroot "$folder/root" \
      bash -c "cd /srv/meshputer && $command" </dev/null | tee "$folder/log" ||
      { say "'$command' failed"; tail -n 1 "$folder/log"; exit 1; }
    last+=("'$command' ended with: $(tail -n 1 "$folder/log")")
  done
  for command in "${last[@]}"; do say "$command"; done
  tail -n 1 "$folder/log"
}

# The first process in the namespaces dies with the child that made them, and all others with it.
tear_down() {
  kill -KILL "$child" 2>/dev/null || true
  wait "$child" || true
  for _ in 1 2 3 4 5 6 7 8 9; do # they may take a moment
    rm -rf --one-file-system "$folder" 2>/dev/null && return
    sleep 1
  done
  say "$folder could not be removed"
}

outside() {
  [ "$(id -u)" = 0 ] || impossible "a bare root needs root: try sudo make fresh"
  unshare --mount --pid --fork --mount-proc true 2>/dev/null ||
    impossible "namespaces are not allowed here, so a bare root cannot be entered"
  tests/tools/packages.sh mmdebstrap || impossible "a bare root needs the package mmdebstrap"
  command -v mmdebstrap >/dev/null || impossible "a bare root needs mmdebstrap"
  git diff --quiet HEAD || say "changes that are not committed are left out"
  folder=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-XXXXXX")
  chmod 755 "$folder"
  unshare --mount --pid --fork --kill-child tests/tools/fresh.sh --inside "$folder" "$@" &
  child=$!
  trap tear_down EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  wait $child
}

if [ "$1" = --inside ]; then
  shift
  inside "$@"
else
  outside "$@"
fi
