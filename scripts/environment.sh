# Sourced by the other scripts: goes to the checkout's root and keeps every cache and temporary file
# below build/, so that nothing is left outside the checkout.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build/tmp build/cache
export TMPDIR=$PWD/build/tmp
export XDG_CACHE_HOME=$PWD/build/cache
export MPLCONFIGDIR=$PWD/build/cache/matplotlib
export PYTHONDONTWRITEBYTECODE=1
CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL

# build <preset> [<target>...]: configures when that was never done or the presets changed, and
# builds what is out of date.
build() {
  local preset=$1
  shift
  local ninja_file=build/$preset/build.ninja
  if [ ! -e "$ninja_file" ] || [ CMakePresets.json -nt "$ninja_file" ]; then
    cmake --preset "$preset"
    touch "$ninja_file"
  fi
  cmake --build --preset "$preset" ${1:+--target "$@"}
}

say() { printf '\n== %s\n' "$*"; }
