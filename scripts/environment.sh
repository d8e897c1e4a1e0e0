# Sourced by the other scripts: changes to the checkout's root and puts every cache and temporary
# file below build/, so that no file remains outside the checkout.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build/tmp build/cache
export TMPDIR=$PWD/build/tmp
export XDG_CACHE_HOME=$PWD/build/cache
export MPLCONFIGDIR=$PWD/build/cache/matplotlib
export PYTHONDONTWRITEBYTECODE=1
CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL

# configured <preset>: true if the last configuration succeeded and the presets have not changed
# since.
configured() {
  local stamp=build/$1/configured
  [ -e "build/$1/build.ninja" ] && [ -e "$stamp" ] && [ ! CMakePresets.json -nt "$stamp" ]
}

# configure <preset> [<option>...]
configure() {
  rm -f "build/$1/configured"
  cmake --preset "$@" || { complain "cmake --preset $* failed"; return 1; }
  touch "build/$1/configured"
}

# build <preset> [<target>...]: configures with the tests if necessary, and builds the targets that
# are out of date.
build() {
  local preset=$1
  shift
  if ! configured "$preset" ||
    grep -qx 'PACELINE_TESTS:BOOL=OFF' "build/$preset/CMakeCache.txt"; then
    configure "$preset" -DPACELINE_TESTS=ON || return
  fi
  cmake --build --preset "$preset" ${1:+--target "$@"} ||
    { complain "the $preset build failed"; return 1; }
}

# Builds the release program and its plug-ins. Configures without the tests, which need additional
# packages. Prints a line for each plug-in that is not built, and searches its toolkit every time.
build_program() {
  if ! configured release; then
    configure release -DPACELINE_TESTS=OFF || return
  elif [ -s build/release/left-out.txt ]; then
    configure release || return
  fi
  cmake --build --preset release --target program ||
    { complain "the release build failed"; return 1; }
  cat build/release/left-out.txt
}

say() { printf '\n== %s\n' "$*"; }

complain() { echo "$(basename "$0"): $*" >&2; }
