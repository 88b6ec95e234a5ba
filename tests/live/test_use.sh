#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Use of cache lines and reuse distances that misstop --sim reports: SIP's equake case before and after its
# remedy, and the predicted miss ratio of a cache compared with that of the simulated one.
set -u
equake=$BUILD/tests/live/equake_planted
program=$BUILD/tests/live/sim_planted
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

skip() { echo "skipped: $1"; exit 77; }
[ -x "$BUILD/src/valgrind/misstop-amd64-linux" ] || skip "misstop was built without --sim (no valgrind)"
command -v valgrind.bin >/dev/null || command -v valgrind >/dev/null || skip "valgrind is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"

sim() { # name, options; -- and a command: every miss is reported; the last report counts
    local name=$1
    shift
    timeout 300 "$MISSTOP" -j -d 60 -H 0 -c 1000003 "$@" >"$name.json" 2>err || true
    grep -q '^{"version"' "$name.json" || { echo "FAILED: misstop prints no report of $name:"; cat err; }
}

# SIP's case study, 183.equake; and an array of 64 KiB read twice, in fully associative caches.
for mode in gaps malloc adjacent; do
    sim $mode --sim=L1=16K,4,64:L2=128K,4,64 --sim-from time_step -- "$equake" $mode
done
sim walk --sim=L1=32K,512,64:L2=1M,16384,64 --heap none --sim-from walk --sim-to free -- "$program" walk 64
# The same, sampled: intervals have to contain the figures of the complete run.
timeout 300 "$MISSTOP" -j -d 60 -H 0 --sim=L1=16K,4,64:L2=128K,4,64 --sim-from time_step -- "$equake" malloc >sampled.json 2>err
sim nouse --sim=L1=32K,8,64:nouse --heap none -- "$program" parts

python3 - <<'EOF'
import json, sys

def read(name):
    with open(name + '.json') as lines:
        return json.loads([line for line in lines if line.startswith('{"version"')][-1])

r = {name: read(name) for name in ('gaps', 'malloc', 'sampled', 'adjacent', 'walk', 'nouse')}
passed = failed = 0

def check(description, condition, *values):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print('FAILED:', description, *values)

def misses(name, level):
    return sum(r[name]['simulation']['levels'][level][kind] for kind in ('load_misses', 'store_misses'))

def step(name):
    return [c for c in r[name]['code'] if c['function'] == 'time_step'][0]

def leaves(name):
    """Spatial use of all vectors together: the heap objects without the pointer arrays of the trees."""
    rows = [o['use'] for o in r[name]['objects']
            if o['kind'] == 'heap' and o['use'] and o['size'] > 40000] # the pointers of a tree: 20000
    return sum(u['used_bytes'] for u in rows) / sum(u['fetched_bytes'] for u in rows)

print('spatial use in equake, of lines evicted from L2')
for mode in 'gaps', 'malloc', 'adjacent':
    print('  leaves: %-9s vectors %5.1f %%, time_step %5.1f %%, misses to memory %d'
          % (mode, 100 * leaves(mode), 100 * step(mode)['spatial_use'], misses(mode, 1)))
check('leaves with gaps: spatial use is about one half', 0.4 < leaves('gaps') < 0.6, leaves('gaps'))
check('leaves from malloc: spatial use is about three quarters', 0.7 < leaves('malloc') < 0.8, leaves('malloc'))
check('adjacent leaves: spatial use is nearly 1', leaves('adjacent') > 0.97, leaves('adjacent'))
check('adjacent leaves raise the spatial use of time_step()', step('gaps')['spatial_use'] + 0.2 < step('adjacent')['spatial_use'],
      step('gaps')['spatial_use'], step('adjacent')['spatial_use'])
use = step('malloc')['use']
check('uses are counted as floating point for vectors and as integer for pointers', use['integer_loads'] > 0 and use['float_loads'] > 0
      and use['float_stores'] > 100 * use['integer_stores'], use)
listed = [i for i in step('malloc')['instructions'] if i.get('used_by') and i['thrown_out_by']]
check('time_step() itself used and evicted the lines it fetched',
      listed and all(i[k][0]['function'] == 'time_step' for i in listed for k in ('used_by', 'thrown_out_by')), listed[:1])
lines = r['malloc']['use']['lines']
check('evicted lines equal the misses to memory', abs(lines / misses('malloc', 1) - 1) < 0.02, lines, misses('malloc', 1))
check('evicted lines of objects add up to the total',
      abs(sum(o['use']['lines'] for o in r['malloc']['objects'] if o['use']) / lines - 1) < 0.01)

all_of = r['walk']['reuse']['all']
for i in range(2):
    truth = misses('walk', i) / r['walk']['simulation']['accesses']
    curve = all_of['miss_ratio_at']['L%d' % (i + 1)]
    print('fully associative L%d: %.2f %% of accesses missed, %.2f %% predicted by reuse distances'
          % (i + 1, 100 * truth, 100 * curve))
    check('the miss curve agrees with the simulated L%d' % (i + 1), abs(curve - truth) < 0.02, curve, truth)
def figures(name):
    """Figures of each object with their intervals, by name and address."""
    of, report = {}, r[name]
    for o in report['objects']:
        at, use = (o['name'], o['address']), o['use']
        if o['share'] > 0.01:
            of[at, 'share'] = o['share'], o['share_low'], o['share_high']
        if use:
            of[at, 'use'] = o['spatial_use'], use.get('spatial_use_low'), use.get('spatial_use_high')
    for o in report['reuse']['objects'] + [report['reuse']['all']]:
        for level in o['miss_ratio_at']:
            between = o['miss_ratio_at_between'][level]
            of[o['name'], o.get('address'), level] = o['miss_ratio_at'][level], *between
    return of

exact, sampled = figures('malloc'), figures('sampled')
compared = [(at, exact[at][0], *sampled[at][1:]) for at in sampled if at in exact and sampled[at][1] is not None]
within = [low - 1e-6 <= truth <= high + 1e-6 for _, truth, low, high in compared]
far = [c for c in compared if not 2 * c[2] - c[3] - 1e-6 <= c[1] <= 2 * c[3] - c[2] + 1e-6]
print('intervals of the sampled run: %d of %d contain the value of the full run' % (sum(within), len(within)))
check('the sampled run omits misses and the full run none', r['sampled']['simulation']['untold'] > 10000 and r['malloc']['simulation']['untold'] == 0)
check('intervals of the sampled run contain the values of the full run', len(within) > 20 and sum(within) > 0.85 * len(within), compared)
check('no value of the full run is far outside its interval', not far, far)
check('miss curves never rise with the cache size', all(a + 1e-9 >= b for c in [all_of] + r['walk']['reuse']['objects']
                            for a, b in zip(c['miss_ratio'], c['miss_ratio'][1:])))
check('nouse reports no use and no reuse', 'reuse' not in r['nouse'] and not any('spatial_use' in o for o in r['nouse']['objects']))
print('test_use: %d passed, %d failed' % (passed, failed))
sys.exit(failed > 0)
EOF
