#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# In one run, the records represent different numbers of misses. Each table of the JSON report, of the
# HTML page and of the pprof file must have the same shares.
set -u
export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
PYTHONPATH=$(cd "$(dirname "$0")" && pwd); export PYTHONPATH # protobuf.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$BUILD/tests/live/thinned_planted
cd "$work" || exit 1

skip() { echo "skipped: $1"; exit 77; }
[ -x "$BUILD/src/valgrind/misstop-amd64-linux" ] || skip "misstop was built without --sim (no valgrind)"
command -v valgrind.bin >/dev/null || command -v valgrind >/dev/null || skip "valgrind is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"

timeout 300 "$MISSTOP" --sim=L1=32K,8,64:L2=256K,8,64 -j -d 60 -H 0 --html run.html --pprof run.pb.gz \
    -- "$program" >run.json 2>err || { cat err; exit 1; }

python3 - <<'EOP'
import gzip, json, re, sys
import xml.etree.ElementTree as tree
from collections import defaultdict

from protobuf import fields

report = json.loads([line for line in open('run.json') if line.startswith('{"version"')][-1])
passed = failed = 0

def same(description, one, other, within=0.002):
    global passed, failed
    good = one is not None and other is not None and abs(one - other) <= within
    passed, failed = passed + good, failed + (not good)
    if not good:
        print('FAILED: %s: expected equal values, got %s and %s' % (description, one, other))

def check(description, condition, *values):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print('FAILED:', description, *values)

# ---- pprof: field numbers of src/view/pprof.proto ----
def message(data):
    values = defaultdict(list)
    for number, value in fields(data):
        values[number].append(value)
    return values

def numbers(values):
    out = []
    for value in values:
        if isinstance(value, int):
            out.append(value)
            continue
        shift = whole = 0
        for byte in value:
            whole |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                out.append(whole)
                shift = whole = 0
    return out

profile = message(gzip.open('run.pb.gz').read())
strings = [text.decode() for text in profile[6]]
functions = {message(f)[1][0]: strings[message(f)[2][0]] for f in profile[5]}
locations = {}
for one in profile[4]:
    location = message(one)
    locations[location[1][0]] = functions[message(location[4][-1])[1][0]] if location[4] else ''
types = [strings[message(t)[1][0]] for t in profile[1]]
pprof = {'function': defaultdict(int), 'object': defaultdict(int), 'field': defaultdict(int)}
for one in profile[2]:
    sample = message(one)
    weight = numbers(sample[2])[1]
    pprof['function'][locations[numbers(sample[1])[0]]] += weight
    for label in sample[3]:
        label = message(label)
        if strings[label[1][0]] in pprof and label[2]:
            pprof[strings[label[1][0]]][strings[label[2][0]]] += weight
whole = sum(pprof['function'].values())

# ---- HTML: the rows of a section's first table, by the text of a column ----
page = tree.parse('run.html').getroot()
def local(node):
    return node.tag.split('}')[-1]

def rows(section, name):
    part = [n for n in page.iter() if n.get('id') == section][0]
    table = [n for n in part.iter() if local(n) == 'table'][0]
    titles = [''.join(n.itertext()) for n in table.iter() if local(n) == 'th']
    out = {}
    for row in (n for n in table.iter() if local(n) == 'tr'):
        cells = [n for n in row if local(n) == 'td']
        if cells:
            out[''.join(cells[titles.index(name)].itertext())] = float(cells[0].get('data-v'))
    return out

html_code, html_objects = rows('code', 'FUNCTION'), rows('objects', 'NAME')

# ---- JSON compared with pprof and HTML ----
matrix = report['matrix']
functions = {row['function']: row['share'] for row in matrix['rows']}
columns = {column['object']: column['share'] for column in matrix['columns']}
lead = report['objects'][0]
check('samples are thinned to fewer than one in ten misses', report['simulation']['one_in'] > 10, report['simulation']['one_in'])
own = {code['function'].split('.')[0]: code for code in report['code']}
check('fill() has many samples of low weight', own['fill']['samples'] > 0.2 * own['lookup']['samples']
      and own['fill']['share'] < 0.05 * own['lookup']['share'], own['fill']['samples'], own['lookup']['samples'])
check('objects are sorted by share', all(a['share'] >= b['share'] for a, b in zip(report['objects'], report['objects'][1:])))
check('functions are sorted by share', all(a['all_share'] >= b['all_share'] for a, b in zip(report['code'], report['code'][1:])))
for code in report['code'][:2]:
    name = code['function']
    same('share of %s() in code and matrix' % name, code['share'], functions.get(name))
    same('share of %s() in code and HTML' % name, code['share'], html_code.get(name))
    same('share of %s() in code and pprof' % name, code['share'], pprof['function'][name] / whole)
    at = [i for i, row in enumerate(matrix['rows']) if row['function'] == name][0]
    inside = sum(c['share'] for c in matrix['cells'] if c['row'] == at and c['column'] == 0)
    same('share of %s() on the first object in the matrix and in its code list' % name, inside,
         sum(c['share'] for c in lead['code'] if c['function'] == name) * lead['share'])
same('share of the first object in objects and matrix', lead['share'], columns.get(lead['name']))
same('share of the first object in objects and HTML', lead['share'], html_objects.get(lead['name']))
same('share of the first object in objects and pprof', lead['share'], pprof['object'][lead['name']] / whole)
for field in lead['fields'][:2]:
    same('share of field %s in objects and pprof' % field['name'], field['share'] * lead['share'], pprof['field'][field['name']] / whole)
    same('share of field %s and of the function that accesses it' % field['name'], field['share'] * lead['share'],
         own['fill' if field['name'].endswith('key') else 'lookup']['share'])
same('shares of fields add up to 1', sum(field['share'] for field in lead['fields']), 1)
same('shares of instances add up to 1', sum(one['share'] for one in lead['instances']), 1)
same('shares of threads add up to 1', sum(one['share'] for one in report['threads']['list']), 1)
print('test_tables: %d passed, %d failed' % (passed, failed))
sys.exit(failed > 0)
EOP
