#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Check the models of the protocols with Spin: each must hold for several parameters, and every
# mutation of it must be caught.  Usage: unittest/model/run.sh [scratch directory [usual]]; with "usual"
# those that take longest are left out.
set -euo pipefail

models=$(cd "$(dirname "$0")" && pwd)
scratch=${1:-$(mktemp -d)}
which=${2:-all}
mkdir -p "$scratch"
cd "$scratch"
rm -rf check-*
count=0

# check NAME EXPECTED(holds|fails) DEFINES... starts one check; as many run at once as there are processors
check() {
  count=$((count + 1))
  while [ "$(jobs -r | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
  carry_out "check-$count" "$@" &
}

# long NAME EXPECTED DEFINES... is a check that "usual" leaves out
long() {
  if [ "$which" = all ]; then check "$@"; fi
}

# carry_out FOLDER NAME EXPECTED DEFINES...
carry_out() {
  local folder=$1 name="$model, $2" expected=$3 found states
  shift 3
  mkdir "$folder"
  cd "$folder"
  { spin "$@" -a "$models/$model.pml" && cc -w -O2 -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 -o pan pan.c &&
      timeout 600 ./pan -m2000000 -w24; } > pan.log 2>&1 || true
  if grep -q 'error: max search depth too small\|out of memory\|resource limitation' pan.log; then
    found=unfinished
  elif grep -q 'errors: 0' pan.log; then
    found=holds
  elif grep -q 'errors: [1-9]' pan.log; then
    found=fails
  else
    found=unfinished
  fi
  states=$(awk '/states, stored/ {print $1; exit}' pan.log)
  if [ "$found" = "$expected" ]; then
    echo "ok      $name: $found as expected, $states states"
    touch passed
  else
    echo "FAILED  $name: expected $expected, found $found"
    sed 's/^/        /' pan.log
  fi
  rm -f pan pan.?
}

# credits.pml: slots, credits and fragments over memory
model=credits
check "one slot"                        holds -DSLOTS=1 -DCALLS=4
check "two slots"                       holds -DSLOTS=2 -DCALLS=4
check "three slots, long messages"      holds -DSLOTS=3 -DCALLS=2 -DFRAGMENTS=5
check "four slots, bursts"              holds -DSLOTS=4 -DCALLS=6 -DFRAGMENTS=1
check "four slots, long messages"       holds -DSLOTS=4 -DCALLS=2 -DFRAGMENTS=6
check "mutant without credit check"     fails -DSLOTS=2 -DCALLS=4 -DMUTANT_NO_CREDIT_CHECK
check "mutant without lone credits"     fails -DSLOTS=2 -DCALLS=4 -DMUTANT_NO_LONE_CREDIT
check "mutant that does not drain"      fails -DSLOTS=2 -DCALLS=3 -DFRAGMENTS=5 -DMUTANT_NO_DRAIN
check "mutant that credits too early"   fails -DSLOTS=1 -DCALLS=3 -DMUTANT_EARLY_CREDIT

# rdma.pml: puts that take their time, and a larger link in place of a small one
model=rdma
check "one slot"                        holds -DSLOTS=1 -DCALLS=3
check "two slots"                       holds -DSLOTS=2 -DCALLS=3
check "two slots, credit that rides"    holds -DSLOTS=2 -DCALLS=3 -DTHRESHOLD=2
check "two slots, bursts"               holds -DSLOTS=2 -DCALLS=4 -DTHRESHOLD=2 -DFRAGMENTS=1
check "three slots"                     holds -DSLOTS=3 -DCALLS=2 -DFRAGMENTS=3
long  "two slots, long messages"        holds -DSLOTS=2 -DCALLS=2 -DFRAGMENTS=4
check "header before payload"           holds -DSLOTS=2 -DCALLS=2 -DTORN
long  "credits in order, same address"  holds -DSLOTS=2 -DCALLS=3 -DORDERED
check "mutant that rewrites early"      fails -DSLOTS=2 -DCALLS=2 -DMUTANT_EARLY_REWRITE
check "mutant that looks at memory"     fails -DSLOTS=2 -DCALLS=2 -DTORN -DMUTANT_LOOK_AT_MEMORY
check "mutant in order of arrival"      fails -DSLOTS=2 -DCALLS=2 -DMUTANT_ARRIVAL_ORDER
check "mutant that counts entries"      fails -DSLOTS=2 -DCALLS=2 -DMUTANT_COUNT_ENTRIES
check "mutant with short increments"    fails -DSLOTS=2 -DCALLS=3 -DTHRESHOLD=2 -DMUTANT_SHORT_INCREMENT
check "mutant without goodbye"          fails -DSLOTS=2 -DCALLS=2 -DMUTANT_NO_GOODBYE
check "mutant that keeps its address"   fails -DSLOTS=2 -DCALLS=2 -DMUTANT_SAME_ADDRESS
check "mutant that answers goodbyes"    fails -DSLOTS=2 -DCALLS=2 -DMUTANT_ANSWER_GOODBYE
check "mutant that decides alone"       fails -DSLOTS=2 -DCALLS=2 -DMUTANT_LONELY_DECISION

# landing.pml: positions that land in the receiver's array
model=landing
check "offers"                          holds -DCALLS=7
check "somebody looks, no offers"       holds -DCALLS=7 -DLOOKER
check "mutant that uses one twice"      fails -DMUTANT_USE_TWICE
check "mutant that keeps one"           fails -DMUTANT_KEEP_OFFER
check "mutant that offers anyway"       fails -DMUTANT_OFFER_ANYWAY -DLOOKER
check "mutant that offers early"        fails -DMUTANT_EARLY_OFFER
check "mutant without notice"           fails -DMUTANT_NO_NOTICE

# utofu.pml: notices and credits over a network without order
model=utofu
check "one slot"                        holds -DSLOTS=1 -DMESSAGES=4
check "two slots"                       holds -DMESSAGES=5
check "two slots, landing"              holds -DMESSAGES=4 -DLANDING
check "mutant with loose credit"        fails -DMESSAGES=3 -DMUTANT_LOOSE_CREDIT
check "mutant with a loose landing"     fails -DMESSAGES=2 -DLANDING -DMUTANT_LOOSE_LANDING
check "mutant that looks at memory"     fails -DSLOTS=1 -DMESSAGES=2 -DMUTANT_NO_NOTICE
check "mutant that writes too early"    fails -DMESSAGES=2 -DLANDING -DMUTANT_EARLY_SOURCE
check "mutant that credits too early"   fails -DSLOTS=1 -DMESSAGES=3 -DMUTANT_EARLY_CREDIT

# overlap.pml: the neighbor check, read after the forces of pairs
model=overlap
check "two ranks"                       holds -DSTEPS=6
check "two ranks, slow atoms"           holds -DSTEPS=8 -DFASTEST=1
check "three ranks"                     holds -DRANKS=3 -DSTEPS=4
check "mutant that decides alone"       fails -DMUTANT_DECIDE_ALONE
check "mutant in order of arrival"      fails -DMUTANT_WHEN_ARRIVED
check "mutant that keeps forces"        fails -DMUTANT_KEEP_FORCES
check "mutant that reads later"         fails -DMUTANT_READ_LATER

wait
passed=$(find . -path './check-*/passed' | wc -l)
echo "$passed passed, $((count - passed)) failed"
[ "$passed" -eq "$count" ]
