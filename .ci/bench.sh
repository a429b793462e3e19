#!/usr/bin/env bash
# make bench: the kernels of the core, then the package, each as its own benchmark says.
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$PWD
unset MAKEFLAGS MFLAGS MAKELEVEL

if compgen -G 'tests/cpp/bench_*.cpp' >/dev/null; then
  cmake -S tests/cpp -B tests/cpp/build-bench -DCMAKE_BUILD_TYPE=Release >/dev/null
  cmake --build tests/cpp/build-bench -j"$(nproc)" --target benchmarks >/dev/null
  for file in tests/cpp/bench_*.cpp; do
    name=$(basename "$file" .cpp)
    echo "== $name"
    "tests/cpp/build-bench/$name"
  done
fi
if [ -f inst/benchmark/run.R ]; then
  Rscript inst/benchmark/run.R
fi
