#!/usr/bin/env bash
# make check: the tests of the core (plain and under the sanitizers), those of the package, and
# R CMD check --as-cran on the tarball. All of them run, whatever fails before;
# the last line is `N passed, M failed`.
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$root/.ci/work
jobs=$(nproc 2>/dev/null || echo 2)
unset MAKEFLAGS MFLAGS MAKELEVEL

export TZ=UTC
export R_MAKEVARS_USER=$root/.ci/Makevars
# The same sources compiled in another folder are the same to ccache.
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$root

passed=0
failed=0
count() { # passed failed
  passed=$((passed + $1))
  failed=$((failed + $2))
  echo "-- $1 passed, $2 failed ($((SECONDS - started)) s)"
}
section() {
  started=$SECONDS
  printf '\n== %s\n' "$1"
}
finish() {
  mkdir -p "$work"
  printf '\n'
  echo "$passed passed, $failed failed" | tee "$work/summary"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit
}
# Runs a command with its output in a log, and shows the end of that if it fails.
quietly() { # log command...
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    tail -n 60 "$log"
    return 1
  }
}

section "Set-up"
if ! .ci/setup.sh check; then
  count 0 1
  finish
fi
rm -rf "$work/source" "$work/generated" "$work/check" "$work/library"
mkdir -p "$work/source" "$work/check" "$work/library"
# R CMD build would copy these before it drops them.
tar -c --exclude=./.git --exclude=./.ci/work --exclude='./tests/cpp/build*' --exclude=./demo \
  --exclude='*.o' --exclude='*.so' . | tar -x -C "$work/source"
echo "-- done ($((SECONDS - started)) s)"

section "Generated files are up to date"
if [ "$(Rscript -e 'cat(format(packageVersion("roxygen2")))')" = \
  "$(sed -n 's/^RoxygenNote: *//p' DESCRIPTION)" ]; then
  cp -r "$work/source" "$work/generated"
  if (cd "$work/generated" && quietly "$work/document.log" Rscript .ci/document.R) &&
    diff -r "$work/source" "$work/generated"; then
    count 1 0
  else
    echo "Run \`make document\` and commit what it changes."
    count 0 1
  fi
else
  echo "Left out: another version of roxygen2 wrote the help pages."
fi

section "R CMD build and install"
if (cd "$work" && rm -f semiselect_*.tar.gz &&
  MAKEFLAGS=-j$jobs quietly build.log R CMD build source &&
  MAKEFLAGS=-j$jobs quietly install.log \
    R CMD INSTALL --no-test-load --library="$work/library" semiselect_*.tar.gz); then
  count 1 0
else
  count 0 1
fi

# Catch's last lines are `All tests passed (7 assertions in 3 test cases)` or
# `test cases: 3 | 2 passed | 1 failed`; neither comes from a run that the sanitizers stopped.
catch_tests() { # folder, options of cmake
  local build=tests/cpp/$1
  shift
  if ! quietly "$work/cmake.log" cmake -S tests/cpp -B "$build" "$@" ||
    ! quietly "$work/cmake.log" cmake --build "$build" -j"$jobs"; then
    count 0 1
    return
  fi
  local log=$work/catch.log good bad
  "$build/core_tests" >"$log" 2>&1
  local status=$?
  good=$(sed -nE -e 's/^All tests passed \(.* in ([0-9]+) test case.*/\1/p' \
    -e 's/^test cases:.*\| *([0-9]+) passed.*/\1/p' "$log" | tail -n 1)
  bad=$(sed -nE 's/^test cases:.*\| *([0-9]+) failed.*/\1/p' "$log" | tail -n 1)
  if [ "$status" -ne 0 ]; then
    tail -n 200 "$log"
    [ "${bad:-0}" -gt 0 ] || bad=1
  elif [ -z "$good" ]; then
    echo "No test of the core was run."
    bad=1
  fi
  count "${good:-0}" "${bad:-0}"
}
section "Tests of the core"
catch_tests build
section "Tests of the core under AddressSanitizer and UndefinedBehaviorSanitizer"
UBSAN_OPTIONS=print_stacktrace=1 catch_tests build-sanitize -DSANITIZE=ON

section "Tests of the package"
if [ -d "$work/library/semiselect" ]; then
  rm -f "$work/testthat.txt"
  NOT_CRAN=true R_LIBS=$work/library:${R_LIBS:-} Rscript .ci/testthat.R "$work/testthat.txt"
  if [ -f "$work/testthat.txt" ]; then
    read -r good bad <"$work/testthat.txt"
    count "$good" "$bad"
  else
    echo "R stopped before the tests ended."
    count 0 1
  fi
else
  echo "Left out: the package could not be installed."
fi

# Settings under which only the package itself can be complained about: no clock and no mirror over
# the net, and fonts that texlive-fonts-recommended has. testthat runs here without NOT_CRAN, so
# that the long tests, which have just been run, are skipped.
section "R CMD check --as-cran"
if ls "$work"/semiselect_*.tar.gz >/dev/null 2>&1; then
  (cd "$work" && env -u NOT_CRAN -u SEMISELECT_DATA MAKEFLAGS=-j"$jobs" \
    _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_CRAN_INCOMING_REMOTE_=false R_RD4PDF=times,hyper \
    R CMD check --as-cran --output=check semiselect_*.tar.gz >check.log 2>&1)
  log=$work/check/semiselect.Rcheck/00check.log
  # All that was not simply OK.
  awk 'function show() {if (block ~ /NOTE|WARNING|ERROR/) printf "%s", block}
    /^\* / {show(); block = ""} {block = block $0 "\n"} END {show()}' "$log"
  tail -n 40 "$work"/check/semiselect.Rcheck/tests/*.fail 2>/dev/null
  verdict=$(grep '^Status: ' "$log")
  bad=$(grep -oE '[0-9]+ (ERROR|WARNING)' <<<"$verdict" | awk '{n += $1} END {print n + 0}')
  [ -n "$verdict" ] || { tail -n 40 "$work/check.log"; bad=1; }
  count $(($(grep -c '^\* checking ' "$log") - bad)) "$bad"
else
  echo "Left out: there is no tarball."
fi

finish
