#!/bin/bash
# packages.sh PACKAGE...: installs the Debian packages that are missing, and only those.
#
# Says first which they are, how much is fetched and how much disk they take. Runs apt-get update
# only where apt does not know a package or what it knows is out of date. Uses sudo unless root.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

say() { echo "deps: $*" >&2; }

command -v dpkg-query >/dev/null || {
  say "this is not a Debian system, so nothing is installed; needed are: $*"
  exit 0
}

missing=()
for package in "$@"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
    missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null ||
    { say "these packages need root or sudo to install: ${missing[*]}"; exit 1; }
  as_root=(sudo)
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 "$@"
}
# What apt would do. It ends with 1 because it is told to answer no, and with 100 on an error.
plan() {
  apt-get -o Debug::NoLocking=1 install --assume-no --no-install-recommends "${missing[@]}"
}
install() {
  plan 2>/dev/null | sed -n -e 's/^Need to get/deps: to fetch:/p' \
    -e 's/^After this operation, /deps: /p' >&2
  apt install -qq -y --no-install-recommends "${missing[@]}"
}

say "installing ${missing[*]}"
status=0
plan >/dev/null 2>&1 || status=$?
[ "$status" -le 1 ] || apt -qq update
install || { apt -qq update && install; } ||
  { say "apt-get could not install: ${missing[*]}"; exit 1; }
