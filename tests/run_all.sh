#!/bin/bash
# Builds and runs all tests of a checkout whose packages are installed (./install.sh --test does both):
# the whole suite, the suite under AddressSanitizer and UndefinedBehaviorSanitizer, and each fuzz target for a moment.
# Ends with one line `N passed, N failed, N skipped`; exit status 1 when anything failed.
#
#   MIKROSCOPE_JOBS=N   compilers and tests at work at a time (default: all cores)
#   FUZZ_SECONDS=N      for all fuzz targets together (default 15)
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly jobs=${MIKROSCOPE_JOBS:-$(nproc)}
readonly results=$PWD/build/test-results
# Not the agent as a program: its sandbox refuses what a sanitizer does at the end.
readonly kSanitized=(test_base test_host test_proc test_sources test_reader test_agent test_routeros
  test_routeros_api test_routeros_ssh test_deploy test_plot test_model test_pipeline test_sinks test_tier)
passed=0 failed=0 skipped=0
failures=()
# Compilations of another checkout of the same sources count as the same (objects hold no absolute path).
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
rm -rf "$results"
mkdir -p "$results"

say() { printf '\n== %s\n' "$*"; }

# one STATUS NAME: counts a step that is no ctest.
one() {
  if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); failures+=("$2"); fi
}

# The number in attribute $2 of the <testsuite> element of the JUnit file $1.
attribute() {
  sed -n "/<testsuite /,/>/ s/.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1
}

# build PRESET [TARGET...]: true when it built.
build() {
  local preset=$1 log=build/$1.log start=$SECONDS
  shift
  say "building preset $preset (log: $log)"
  if { cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}; } > "$log" 2>&1; then
    grep -h 'Router agents in the CLI' "$log"
    echo "built in $((SECONDS - start)) s"
    return 0
  fi
  grep -E 'error|Error|FAILED|undefined|warning:' "$log" | head -n 40 || tail -n 40 "$log"
  return 1
}

# suite PRESET [ctest options]: runs what was built and adds up its results.
suite() {
  local preset=$1 xml=$results/$1.xml start=$SECONDS total bad ignored disabled
  shift
  say "running the tests of preset $preset"
  ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --output-junit "$xml" --no-tests=error "$@" \
    < /dev/null > "build/$preset-test.log" 2>&1
  local status=$?
  if [ ! -f "$xml" ]; then
    tail -n 20 "build/$preset-test.log"
    one 1 "$preset: no test ran"
    return
  fi
  total=$(attribute "$xml" tests) bad=$(attribute "$xml" failures)
  ignored=$(attribute "$xml" skipped) disabled=$(attribute "$xml" disabled)
  ignored=$((ignored + disabled))
  passed=$((passed + total - bad - ignored)) failed=$((failed + bad)) skipped=$((skipped + ignored))
  echo "$preset: $((total - bad - ignored)) passed, $bad failed, $ignored skipped in $((SECONDS - start)) s"
  # The reason that a test gave for skipping itself stands after its name.
  [ "$ignored" = 0 ] || sed -n '/did not run:/,/^$/p' "build/$preset-test.log" | head -n 30
  if [ "$bad" != 0 ]; then
    grep -E '\*\*\*(Failed|Timeout|Exception)' "build/$preset-test.log" | head -n 60
    while read -r name; do failures+=("$preset: $name"); done < <(
      sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (\(Failed\|Timeout\|SEGFAULT\|Subprocess aborted\|.*Exception.*\)).*/\1/p' "build/$preset-test.log")
    grep -E -A 12 ': Failure$|runtime error|ERROR: AddressSanitizer' "build/$preset-test.log" | head -n 120
  elif [ $status != 0 ]; then
    one 1 "$preset: ctest ended with $status (build/$preset-test.log)"
  fi
}

# Every target gets its share of the time, and at least a second.
fuzz() {
  local targets=(build/fuzz/tests/fuzz/fuzz_*) target name seconds
  [ -x "${targets[0]}" ] || { one 1 "fuzz: no target was built"; return; }
  seconds=$((${FUZZ_SECONDS:-15} / ${#targets[@]}))
  [ $seconds -ge 1 ] || seconds=1
  say "fuzzing ${#targets[@]} targets for $seconds s each"
  for target in "${targets[@]}"; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=${target##*/fuzz_}
    mkdir -p "build/fuzz/corpus/$name"
    local seeds=()
    [ -d "tests/fuzz/seeds/$name" ] && seeds=("tests/fuzz/seeds/$name")
    "$target" -max_total_time=$seconds -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$results/$name-" \
      "build/fuzz/corpus/$name" "${seeds[@]}" > "$results/fuzz-$name.log" 2>&1
    local status=$?
    one $status "fuzz $name (build/test-results/fuzz-$name.log)"
    if [ $status = 0 ]; then
      echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$results/fuzz-$name.log") runs"
    else
      grep -E -A 8 'ERROR|runtime error' "$results/fuzz-$name.log" | head -n 40
    fi
  done
}

if build dev; then suite dev; else one 1 "the dev preset does not build"; fi
# Unit tests of everything that meets foreign bytes. Programs as a whole run in the dev suite only: a sanitizer's
# slowness would say nothing about their timing, and building the command line twice would double the time.
if build asan "${kSanitized[@]}"; then
  suite asan --exclude-regex 'NOT_BUILT' --label-exclude 'timing|agents'
else
  one 1 "the asan preset does not build"
fi
if compgen -G 'tests/fuzz/*.cpp' > /dev/null; then
  if build fuzz fuzz_all; then fuzz; else one 1 "the fuzz preset does not build"; fi
fi

if [ ${#failures[@]} -gt 0 ]; then
  say "what failed (logs in build/)"
  printf '  %s\n' "${failures[@]}"
fi
echo
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped" | tee "$results/total"
[ "$failed" = 0 ]
