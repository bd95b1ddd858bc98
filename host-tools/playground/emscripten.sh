#!/bin/bash
# emscripten.sh EM++ LEAST PACKAGE...: installs the Debian packages that are missing, and emscripten
# where there is no EM++.
#
# Where the compiler is older than LEAST, or the one that Debian has is, nothing is installed: one
# line says so.
set -euo pipefail
emxx=$1 least=$2
shift 2
if command -v "$emxx" >/dev/null; then
  version=$("$emxx" --version | grep -oEm1 '[0-9]+(\.[0-9]+)+' | head -n 1)
  printf '%s\n' "$least" "$version" | sort -VC || {
    echo >&2 "playground: $emxx is $version, needed is $least or later (Debian 13 has it)"
    exit 1
  }
else
  set -- "emscripten>=$least" "$@"
fi
"$(dirname "$0")/../../tests/tools/packages.sh" "$@"
command -v "$emxx" >/dev/null || {
  echo >&2 "playground: there is no $emxx: needed is emscripten, $least or later"
  exit 1
}
