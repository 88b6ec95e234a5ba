#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Root watches a process of an ordinary user. The process's debugging information, debug file and symbolic
# links name devices, FIFOs, kernel files and files that only root may read. No report, page or recording
# may contain their contents; the user's own files must be shown.
set -u
. "$(dirname "$0")/../replay/judge.sh"

[ "$(id -u)" = 0 ] || { skip "all checks: needs root, which can read files of all users"; finish; }
needs setpriv objcopy
user=65534
chmod 755 "$work"
cd "$work" || exit 99

# Root's files.
mkdir -m 755 private && mkdir -m 700 hidden
for i in 1 2 3 4 5 6 7 8 9; do echo "ROOT-SECRET-$i"; done >private/secret
sed s/SECRET/HIDDEN/ private/secret >hidden/file
chmod 600 private/secret
chmod 644 hidden/file

# The user's files.
mkdir -m 755 user && cd user
ln -s ../private/secret link.c
ln -s ../private folder
ln ../private/secret hard.c
mkfifo fifo.c
truncate -s 1T sparse.c
i=0
names="$work/private/secret $work/user/link.c $work/user/folder/secret $work/user/hard.c $work/hidden/file
    ../../../../../../../../../../../../$work/private/secret $work/user/../private/secret
    $work/user/fifo.c $work/user/sparse.c /dev/ptmx /proc/self/environ /proc/1/root$work/private/secret"
{
    echo 'static long data[1 << 20]; static volatile long sink;'
    for name in $names; do
        i=$((i + 1))
        echo "#line 1 \"$name\""
        echo "__attribute__((noinline)) static void named_$i(void)"
        echo "{ for (unsigned long i = 0; i < 200000; i++)"
        echo " sink += data[i * 4099 % (1 << 20)]; }"
    done
    echo "#line 1 \"$work/user/own.c\""
    cat <<'OWN'
__attribute__((noinline)) static void own(void)
{
    for (unsigned long i = 0; i < 200000; i++)
        sink += data[i * 4099 % (1 << 20)]; /* SHOWN-OWN-TEXT */
}
int main(void)
{
    for (;;) {
        own();
OWN
    for n in $(seq $i); do echo "        named_$n();"; done
    echo '    }'
    echo '}'
} >planted.c
sed -n '/user\/own.c/,$p' planted.c | sed 1d >own.c
chmod 600 own.c
${CC:-cc} -O1 -g -Wl,--build-id -o planted planted.c 2>errors ||
    { skip "all checks: no compiler: $(head -1 errors)"; finish; }
# Its names are in a debug file that belongs to root.
sed 's/named_/linked_/g' planted.c >linked.c
${CC:-cc} -O1 -g -Wl,--build-id=none -o linked linked.c
objcopy --only-keep-debug linked ../private/linked.debug
strip linked
ln -s ../private/linked.debug linked.debug
objcopy --add-gnu-debuglink=linked.debug linked
chmod 600 ../private/linked.debug
chown -Rh $user:$user planted own.c link.c folder fifo.c sparse.c linked linked.debug .
chown 0:0 hard.c
cd ..

start() { # program: its pid in $pid
    setpriv --reuid $user --regid $user --clear-groups "$work/user/$1" &
    pid=$!
    targets="$targets $pid"
    sleep 0.2
}

# name, file...: no file may contain root's text; the first must contain the user's own.
expect_no_secret() {
    name=$1
    shift
    if found=$(grep -alE 'ROOT-(SECRET|HIDDEN)' "$@"); then
        fail "$name: text that only root may read is in" $found
    else
        pass "$name: contains no text that only root may read"
    fi
    grep -q SHOWN-OWN-TEXT "$1" && pass "$name: shows the user's own source" ||
        fail "$name: $1 lacks the user's own source"
}

start planted
"$MISSTOP" -s clock -r 4000 -j -n 2 -H 0 --html live.html --pprof live.pb.gz -o rec -p $pid >live.json 2>errors ||
    { skip "all checks: sampling fails: $(head -1 errors)"; finish; }
[ -s live.html ] || { skip "all checks: no page was written: $(head -1 errors)"; finish; }

# Libraries that read debugging information open files by themselves, so the process that reads it for
# misstop must run as that user.
"$MISSTOP" -s clock -b -n 3 -H 0 -p $pid >/dev/null 2>&1 &
watcher=$!
targets="$targets $watcher"
reader_user=
while [ -z "$reader_user" ] && kill -0 $watcher 2>/dev/null; do
    for child in $(cat /proc/$watcher/task/*/children 2>/dev/null); do
        grep -q misstop-types /proc/$child/comm 2>/dev/null || continue
        [ "$(awk '/^Uid:/ { print $2, $3, $4, $5 }' /proc/$child/status 2>/dev/null)" = \
            "$user $user $user $user" ] && reader_user=$user
    done
    sleep 0.1
done
[ "$reader_user" = $user ] && pass "the reader of debug information runs as the process's user" ||
    fail "no reader of debug information runs as the process's user $user"
wait $watcher

# Contains function names only after the debugging information has been read.
gzip -dc live.pb.gz >live.pb
expect_no_secret 'a live run' live.html live.json rec rec.misstop live.pb
grep -q 'not readable by user 65534' live.html && pass 'live run: the page says why sources are not shown' || fail "live run: the page lacks 'not readable by user 65534'"

"$MISSTOP" -b -i rec --html played.html >played.txt 2>&1
expect_no_secret 'a replay of FILE.misstop' played.html played.txt
mkdir alone && cp rec alone/rec
"$MISSTOP" -b -i alone/rec --html alone.html >alone.txt 2>&1
expect_no_secret 'a replay of the perf.data alone' alone.html alone.txt
cp rec alone/given && chown $user alone/given
"$MISSTOP" -j -i alone/given --html given.html >given.json 2>&1
expect_no_secret "a replay of the user's own recording" given.html given.json
kill $pid

# Root's recording of its own process: first as it is, then with a FILE.misstop that belongs to another user.
"$work/user/planted" &
pid=$!
targets="$targets $pid"
"$MISSTOP" -s clock -r 4000 -b -n 2 -H 0 -o own -p $pid >own.txt 2>&1
kill $pid
"$MISSTOP" -b -i own --html own.html >own.txt 2>&1
grep -q ROOT-SECRET own.html && pass "root's recording of root's process shows root's files" ||
    fail "root's recording of root's process does not show root's files"
chown $user own.misstop
"$MISSTOP" -b -i own --html own.html >own.txt 2>&1
expect_no_secret "a replay beside another user's FILE.misstop" own.html own.txt

start linked
"$MISSTOP" -s clock -r 4000 -j -n 2 -H 0 -p $pid >linked.json 2>&1
grep -q linked_1 linked.json && fail "a debug file that only root may read is read" ||
    pass "a debug file that only root may read is not read"
grep -q 'linked.debug.*not readable by user 65534' linked.json &&
    pass 'the JSON report says that the debug file is not readable' ||
    fail "the JSON report lacks 'linked.debug ... not readable by user 65534'"
chmod 644 private/linked.debug
"$MISSTOP" -s clock -r 4000 -j -n 2 -H 0 -p $pid >linked.json 2>&1
grep -q linked_1 linked.json && pass 'a debug file that all may read is read' || fail 'a debug file that all may read is not read'
kill $pid
finish
