#!/bin/bash
# packages.sh PACKAGE...: installs the Debian packages that are missing, and only those. One may be
# told as NAME>=VERSION: where apt has an older one, nothing is installed.
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

# A package that is installed, with its version, is not missing.
missing=()
declare -A least=()
for word in "$@"; do
  package=${word%%>=*} wanted=${word#"${word%%>=*}"}
  found=$(dpkg-query -W -f='${db:Status-Status} ${Version}' "$package" 2>/dev/null) || found=
  [[ $found == "installed "* ]] &&
    dpkg --compare-versions "${found#* }" ge "${wanted#>=}" && continue
  missing+=("$package")
  [ -z "$wanted" ] || least[$package]=${wanted#>=}
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

status=0
plan >/dev/null 2>&1 || status=$?
[ "$status" -le 1 ] || apt -qq update
for package in "${!least[@]}"; do
  candidate=$(apt-cache policy "$package" | sed -n 's/^ *Candidate: //p')
  dpkg --compare-versions "${candidate:-0}" ge "${least[$package]}" || {
    say "needed is $package ${least[$package]} or later, apt has $candidate: nothing is installed"
    exit 1
  }
done
say "installing ${missing[*]}"
install || { apt -qq update && install; } ||
  { say "apt-get could not install: ${missing[*]}"; exit 1; }
