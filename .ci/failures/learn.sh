#!/usr/bin/env bash
# Makes cases of the traces that failed, and writes what a pull request says of them.
set -euo pipefail
: "${TRACES:?}" "${SUITE:?}" "${ONLY:=failed}" "${RUNNER_TEMP:?}" "${GITHUB_OUTPUT:=/dev/null}" "${GITHUB_STEP_SUMMARY:=/dev/null}"

told=$RUNNER_TEMP/learned.txt
status=0
understudy learn --from "$TRACES" --output "$SUITE" --append --only "$ONLY" >"$told" 2>&1 || status=$?
cat "$told"
if [ "$status" -ne 0 ]; then
  # nothing failed last night: no reason for a red job
  grep -q 'none of .* traces becomes a case' "$told" || exit "$status"
fi
cases=$(git status --porcelain --untracked-files=all -- "$SUITE" | grep -c '/cases/' || true)
echo "cases=$cases" >>"$GITHUB_OUTPUT"
{
  echo "New cases: $cases, of traces that are $ONLY. Everything is redacted; expectations are proposed."
  echo
  echo '```'
  cat "$told"
  echo '```'
  echo
  git status --porcelain --untracked-files=all -- "$SUITE" | sed -n 's/^...\(.*\/cases\/.*\)$/* `\1`/p'
} >"$RUNNER_TEMP/failures.md"
cat "$RUNNER_TEMP/failures.md" >>"$GITHUB_STEP_SUMMARY"
