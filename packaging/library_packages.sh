#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Print the Debian packages of the shared libraries that a program loads when it starts:
#   packaging/library_packages.sh PROGRAM
set -eu
program=$1

libraries=$(ldd "$program")
if echo "$libraries" | grep "not found" >&2; then
  exit 1
fi
paths=$(echo "$libraries" | awk '$2 == "=>" { print $3 }' | xargs realpath)
# the package may own a path with or without /usr in front; the other one of the two is not found
# shellcheck disable=SC2086
owners=$(dpkg-query --search $paths $(echo "$paths" | sed 's|^/usr||') 2> /dev/null || true)
owners=$(echo "$owners" | sed -n 's/^\([a-z0-9][a-z0-9.+-]*\)[:,].*/\1/p')
if [ "$(echo "$owners" | wc -l)" -lt "$(echo "$paths" | wc -l)" ]; then
  echo "$0: no Debian package owns some of these: $paths" >&2
  exit 1
fi
echo "$owners" | sort -u
