#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# check-words accepts the tree and rejects a planted sentence with each mark.
set -u
source=${srcdir:-.}
check=$source/tests/check-words
copy=$(mktemp -d) || exit 99
trap 'rm -rf "$copy"' EXIT
planted=0

"$check" "$source" || { echo "FAIL: comments of the tree have words to avoid"; exit 1; }
# The sentences are planted in src/base: the other folders only have to exist.
mkdir "$copy/tree"
(cd "$source" && find src include tests experiments -type d) | (cd "$copy/tree" && xargs mkdir -p)
cp "$source"/src/base/*.[ch] "$copy/tree/src/base"
chmod -R u+w "$copy/tree"

plant() { # lines to add, expected mark
    file=$copy/tree/src/base/text.c
    cp "$source/src/base/text.c" "$file"
    printf '%s\n' "$1" >>"$file"
    if "$check" "$copy/tree" >"$copy/out"; then
        echo "FAIL: check-words accepts '$1', expected $2"
        exit 1
    fi
    grep -qF "$2" "$copy/out" || { echo "FAIL: '$1': expected $2, got:"; cat "$copy/out"; exit 1; }
    planted=$((planted + 1))
}
accept() { # lines to add that must be accepted: no comment, or a quotation
    cp "$source/src/base/text.c" "$copy/tree/src/base/text.c"
    printf '%s\n' "$1" >>"$copy/tree/src/base/text.c"
    "$check" "$copy/tree" || { echo "FAIL: check-words rejects '$1'"; exit 1; }
}
plant '/* A number stands for samples. */' '"stands?"'
plant 'int a; /* where it lies */' '"lies?"'
plant '/* The maps are told. */' '"told"'
plant '/* The kernel tells it. */' '"tells?"'
plant '/* Nobody asked. */' '"nobody"'
plant '/* The thread whose stack it is. */' '"whose"'
plant '/* Rows, of
 * which two count. */' '"of which"'
plant '/*
 * Not set, for want
 * of budget.
 */' '"for want of"'
plant '/* Lines thrown out. */' '"thrown out"'
plant '/* A store throws out a line. */' 'throws out'
plant '/* Counts what a thread is at. */' '"what'
plant '/* What a row has. */' 'begins with "what"'
plant 'int a; /* who asks */' 'begins with "who"'
plant '/*
 * Whose they are.
 */' 'begins with "whose"'
plant '/* Counts anew. */' '"anew"'
plant '/* The oldest gives way. */' '"gives? way"'
plant 'int a; /* in the place of b */' '"in the place of"'
plant '/* Not known any more. */' '"any more"'
accept 'static const char *const words = "nobody /* told */";'
accept '/* Option "told" of `struct whose`. */'
accept 'int told, tells;'
mv "$copy/tree/src/base" "$copy/tree/src/bass"
"$check" "$copy/tree" >"$copy/out" && { echo "FAIL: check-words accepts a missing folder of its list"; exit 1; }
echo "comments hold; $planted planted sentences detected"
