#!/bin/bash
# fresh.sh [--suite NAME] [--user] [--turns FILE] [COMMAND...]: the README's commands on a machine
# that has nothing but git and make.
#
# Makes a bare Debian root from the archives that this machine's own apt uses, of the suite NAME
# (trixie, bookworm; default: the newest stable that those archives offer), clones HEAD into it and
# runs the commands there (`make run` and `make test` unless told otherwise); the last line is that
# of the last command. The path of the clone is drawn at random and has a blank and a letter beyond
# ASCII. With --user it is not root who runs the commands; `make deps` has been run before. Root,
# mounts and processes live in namespaces and a folder that go with this script, however it ends.
# Ends with 77 where no such root can be had, else with 0 or 1.
#
# Those that are started with one FILE at the same time install their packages side by side, which
# takes minutes of one processor and the disk, and run their commands one after the other.
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly NO_ROOT=77 SOMEBODY=1000 ROOM_GB=12
readonly GIVEN=("$@")
suite="" turns="" user=0
while [[ ${1-} == --* ]]; do
  case $1 in
    --suite) suite=${2-} && shift ;;
    --turns) turns=${2-} && shift ;;
    --user) user=$SOMEBODY ;;
    *) echo "fresh: there is no option $1" >&2; exit 2 ;;
  esac
  shift
done
[ $# -gt 0 ] || set -- "make run" "make test"

say() { echo "fresh: ${suite:+$suite: }$*" >&2; }
impossible() { say "$*"; exit $NO_ROOT; }

# "ADDRESS SUITE COMPONENT" of each of the host's Debian archives; those of others have no place in
# a bare Debian.
archives() {
  apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' \
    'Origin: Debian' 'Created-By: Packages'
}

# The newest stable suite of the archive at address $1, downloaded into folder $2.
newest_stable() {
  /usr/lib/apt/apt-helper download-file "$1/dists/stable/Release" "$2/Release" >/dev/null 2>&1 &&
    sed -n 's/^Codename: //p' "$2/Release"
}

make_root() { # of folder $1
  local lines host
  lines=$(archives)
  host=$(awk '{ sub(/-.*/, "", $2); print $2; exit }' <<<"$lines")
  [ -n "$host" ] || impossible "apt knows no Debian archive on this machine"
  [ -n "$suite" ] || suite=$(newest_stable "${lines%% *}" "$1") || suite=$host
  # What the host has of its own suite, as bookworm-security, of the wanted one.
  awk -v host="$host" -v suite="$suite" \
    '{ sub("^" host, suite, $2); print "deb", $1, $2, $3 }' <<<"$lines" >"$1/sources.list"
  apt-config dump --no-empty --format '%f "%v";%n' |
    grep -E '^Acquire::(https?|Check|Retries|ForceIPv)' >"$1/apt.conf" || true
  say "making a bare root"
  mmdebstrap --quiet --variant=apt --include=ca-certificates,git,make --aptopt="$1/apt.conf" \
    --dpkgopt=force-unsafe-io "$suite" "$1/root" "$1/sources.list" ||
    impossible "mmdebstrap could not make a bare Debian"
}

# The root $1 gets what a running machine has, packages fetched before, and our commit in $place.
furnish() {
  mount -t proc proc "$1/proc"
  mount -t sysfs -o ro sys "$1/sys"
  mount --rbind /dev "$1/dev"
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
  cp -l /var/cache/apt/archives/*.deb "$1/var/cache/apt/archives/" 2>/dev/null || true
  echo "somebody:x:$SOMEBODY:$SOMEBODY::/srv:/bin/bash" >>"$1/etc/passwd"
  # The user of this script need not own the repository.
  HOME=$1/.. git config --global safe.directory '*'
  HOME=$1/.. git clone --quiet --no-hardlinks . "$1$place"
  chown -R "$user:$user" "$1/srv"
}

# Waits until no other script has its turn. The turn ends with end_turn, or with this process.
begin_turn() {
  [ -n "$turns" ] || return 0
  exec 9>"$turns"
  flock 9
}
end_turn() { [ -z "$turns" ] || exec 9>&-; }

# A warning is an error in what `make run` compiles, too: `make test` does not compile it again.
in_root() { # the root $1, user $2, command $3
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv LANG=C.UTF-8 WERROR=-Werror \
    chroot --userspec="$2:$2" --groups= "$1" bash -c "cd '$place' && $3" </dev/null
}

inside() { # folder $1, then the commands
  local folder=$1 command last=() place
  shift
  place="/srv/ü $(mktemp --dry-run XXXXXXXX)/meshputer"
  make_root "$folder"
  furnish "$folder/root"
  say "the clone is $place"
  if [ -n "$turns" ] || [ "$user" != 0 ]; then
    in_root "$folder/root" 0 "make deps && apt-get clean" >"$folder/log" 2>&1 ||
      { cat "$folder/log"; exit 1; }
    say "packages are there after $SECONDS s"
  fi
  begin_turn
  for command in "$@"; do
    say "$command"
    in_root "$folder/root" "$user" "$command" | tee "$folder/log" ||
      { say "'$command' failed"; tail -n 1 "$folder/log"; exit 1; }
    last+=("'$command' ended after $SECONDS s with: $(tail -n 1 "$folder/log")")
  done
  for command in "${last[@]}"; do say "$command"; done
  tail -n 1 "$folder/log"
}

# Says what is free where folder $1 lies, and whether that is too little.
enough_room() {
  local free_gb
  free_gb=$(($(df --output=avail -k "$1" | tail -n 1) / 1000000))
  say "$1 has $free_gb GB free"
  [ "$free_gb" -ge $ROOM_GB ] ||
    say "root, build and what the tests write take up to $ROOM_GB GB: set TMPDIR to a larger disk"
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
  begin_turn
  tests/tools/packages.sh mmdebstrap || impossible "a bare root needs the package mmdebstrap"
  command -v mmdebstrap >/dev/null || impossible "a bare root needs mmdebstrap"
  [ -n "$(archives)" ] || apt-get -qq update
  end_turn
  git diff --quiet HEAD || say "changes that are not committed are left out"
  folder=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-XXXXXX")
  enough_room "$folder"
  chmod 755 "$folder"
  INSIDE=$folder unshare --mount --pid --fork --kill-child tests/tools/fresh.sh "${GIVEN[@]}" &
  child=$!
  trap tear_down EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  wait $child
}

if [ -n "${INSIDE-}" ]; then
  inside "$INSIDE" "$@"
else
  outside
fi
