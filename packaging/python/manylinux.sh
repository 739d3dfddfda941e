#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Prepare a container of manylinux_2_28 (AlmaLinux 8; x86_64 or aarch64) and make a project there from which pip makes
# the wheel of LAMMPS with TOFU.  Not run by any test:
#   docker run --rm -v "$PWD":/tofu -w /tofu quay.io/pypa/manylinux_2_28_x86_64 sh packaging/python/manylinux.sh LAMMPS
# LAMMPS is a folder with LAMMPS' sources; the wheel is in wheelhouse.  With a second argument, the project is completed in
# this folder, and cibuildwheel makes the wheel.
set -eu
lammps=$1
project=${2:-}

highway=1.2.0
hwloc=2.9.0
python=/opt/python/cp312-cp312/bin/python
export TOFU_CACHE="${TOFU_CACHE:-/tmp/tofu-cache}"
static="$TOFU_CACHE/static"

dnf install -y epel-release
dnf config-manager --set-enabled powertools
dnf install -y ccache fftw-devel fftw-static json-devel libfabric-devel mpich-devel ninja-build
export PATH="/usr/lib64/mpich/bin:$PATH"

mkdir -p "$static" /tmp/sources
cd /tmp/sources
curl -sSL "https://github.com/google/highway/archive/refs/tags/$highway.tar.gz" | tar xz
cmake -S "highway-$highway" -B highway -G Ninja -D CMAKE_INSTALL_PREFIX="$static/highway" -D CMAKE_INSTALL_LIBDIR=lib \
  -D BUILD_SHARED_LIBS=off -D CMAKE_POSITION_INDEPENDENT_CODE=on -D CMAKE_BUILD_TYPE=Release \
  -D HWY_ENABLE_CONTRIB=off -D HWY_ENABLE_EXAMPLES=off -D HWY_ENABLE_TESTS=off -D BUILD_TESTING=off
cmake --build highway --target install
curl -sSL "https://download.open-mpi.org/release/hwloc/v${hwloc%.*}/hwloc-$hwloc.tar.gz" | tar xz
cd "hwloc-$hwloc"
./configure --prefix="$static/hwloc" --enable-static --disable-shared --with-pic --disable-plugins --disable-io \
  --disable-libxml2 --disable-libudev --disable-cairo --disable-readme --without-x
make -C include install
make -C hwloc install
cd /tmp/sources
for library in "highway highway-$highway $highway" "hwloc hwloc-$hwloc $hwloc"; do
  set -- $library
  mkdir -p "$static/$1/licenses"
  find "$2" -maxdepth 1 \( -name 'LICENSE*' -o -name 'COPYING*' \) -exec cp {} "$static/$1/licenses" \;
  echo "{\"version\": \"$3\"}" > "$static/$1/tofu-stamp.json"
done

cd /tofu 2> /dev/null || cd /project
if [ -n "$project" ]; then
  "$python" tools/tofu wheel --lammps "$lammps" --project "$project"
else
  "$python" tools/tofu wheel --lammps "$lammps" --output wheelhouse
fi
