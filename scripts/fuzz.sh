#!/usr/bin/env bash
# Runs every fuzz target of the module for a while, and fails when one did not
# really execute inputs: a fuzz step that fuzzes nothing looks green.
set -euo pipefail
go=${1:?usage: fuzz.sh GO TIME}
time=${2:?usage: fuzz.sh GO TIME}

targets=$(grep -rl --include='*_test.go' '^func Fuzz' . | sort)
[ -n "$targets" ] || { echo "fuzz: no targets found" >&2; exit 1; }
ran=0
for file in $targets; do
  pkg=./$(dirname "${file#./}")
  for name in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
    out=$("$go" test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 1x "$pkg" 2>&1) || { echo "$out"; echo "fuzz: $pkg $name FAILED" >&2; exit 1; }
    # What earlier runs kept is run first, and may take all the time.
    execs=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' <<<"$out" | tail -n 1)
    [ "${execs:-0}" -gt 0 ] || execs=$(sed -n 's|.*baseline coverage: \([0-9]*\)/.*|\1|p' <<<"$out" | tail -n 1)
    [ "${execs:-0}" -gt 0 ] || { echo "$out"; echo "fuzz: $pkg $name executed nothing" >&2; exit 1; }
    printf '%-34s %-32s %s executions\n' "$pkg" "$name" "$execs"
    ran=$((ran + 1))
  done
done
echo "fuzz: $ran targets"
