/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/across.h"

#include <string.h>

enum {
    COURSE_MAX = 56,   /* instructions of a function that is gone through */
    DEPTH_MAX = 4,     /* functions that call each other */
    PREFIX_MAX = 40,   /* of the caller */
    BRANCHES_MAX = 64, /* tried in all */
    CALLERS_MAX = 2
};

/* Instructions being put together, the newest last. */
struct course {
    const struct across_code *code;
    const struct insn *insns[ACROSS_MAX];
    size_t count;
    struct trace_segment segments[TRACE_SEGMENTS_MAX];
    size_t segment_count;
    unsigned branches;
};

static bool adjacent(const struct function *function, size_t index)
{
    const struct insn *before = &function->insns[index - 1];
    return before->address + before->length == function->insns[index].address;
}

static bool add(struct course *course, const struct insn *insn)
{
    if (course->count == ACROSS_MAX)
        return false;
    course->insns[course->count++] = insn;
    return true;
}

static bool add_call(struct course *course, const struct insn *call, unsigned depth);

/* From an instruction to the return, by what falls through first; false: that leads elsewhere. */
static bool add_course(struct course *course, const struct function *function, size_t index,
                       size_t left, unsigned depth)
{
    for (; left && index < function->count; index++, left--) {
        const struct insn *insn = &function->insns[index];
        if (index && left < COURSE_MAX && !adjacent(function, index))
            return false;
        if (insn->flow == INSN_CALL ? !add_call(course, insn, depth) : !add(course, insn))
            return false;
        if (insn->flow == INSN_RETURN)
            return true;
        if (insn->flow == INSN_SYSCALL || insn->flow == INSN_STOP)
            return false;
        if (insn->flow != INSN_JUMP && insn->flow != INSN_CONDITIONAL)
            continue;
        size_t target =
            insn->target > insn->address ? function_index(function, insn->target) : SIZE_MAX;
        if (course->branches++ >= BRANCHES_MAX)
            return false;
        size_t count = course->count;
        size_t segments = course->segment_count;
        if (insn->flow == INSN_CONDITIONAL && index + 1 < function->count &&
            add_course(course, function, index + 1, left - 1, depth))
            return true;
        course->count = count;
        course->segment_count = segments;
        return target != SIZE_MAX && add_course(course, function, target, left - 1, depth);
    }
    return false;
}

/* A call and what it called. */
static bool add_call(struct course *course, const struct insn *call, unsigned depth)
{
    size_t at = course->count;
    if (!call->target || depth == DEPTH_MAX || course->segment_count == TRACE_SEGMENTS_MAX ||
        !add(course, call))
        return false;
    const struct function *callee = course->code->find(course->code->context, call->target);
    size_t segment = course->segment_count++;
    if (!callee ||
        !add_course(course, callee, function_index(callee, call->target), COURSE_MAX, depth + 1))
        return false;
    course->segments[segment] =
        (struct trace_segment){.call = (uint8_t)at, .end = (uint8_t)course->count};
    return true;
}

/* The straight line before an instruction, calls included where they can be gone through. */
static void add_before(struct course *course, const struct function *function, size_t index)
{
    size_t first = index;
    while (first > 0 && index - first < PREFIX_MAX && !function->insns[first].is_target &&
           adjacent(function, first) &&
           (function->insns[first - 1].flow == INSN_PLAIN ||
            function->insns[first - 1].flow == INSN_CONDITIONAL ||
            function->insns[first - 1].flow == INSN_CALL))
        first--;
    for (size_t i = first; i < index; i++) {
        const struct insn *insn = &function->insns[i];
        if (insn->flow != INSN_CALL) {
            if (!add(course, insn))
                return;
        } else if (!add_call(course, insn, 0)) {
            course->count = course->segment_count = 0; /* what came before is not known */
        }
    }
}

/* The function that called the one whose entry the trace begins at. */
static bool add_caller(struct course *course, struct trace_values *values,
                       const struct function *function, size_t culprit)
{
    uint64_t stack;
    uint64_t back;
    size_t first = culprit;
    while (first > 0 && culprit - first < PREFIX_MAX && !function->insns[first].is_target &&
           adjacent(function, first) && function->insns[first - 1].flow == INSN_PLAIN)
        first--;
    if (first || !function->whole)
        return false;
    struct trace_values entry = *values;
    const struct insn *start = &function->insns[0];
    if (values->trace->count == 0 || values->trace->insns[0] != start ||
        !trace_register(&entry, SREG_SP, 0, &stack) ||
        !trace_memory(&entry, stack, &back, sizeof back))
        return false;
    const struct function *caller = course->code->find(course->code->context, back);
    size_t index = caller ? function_index(caller, back) : SIZE_MAX;
    if (index == SIZE_MAX || !index || !adjacent(caller, index) ||
        caller->insns[index - 1].flow != INSN_CALL ||
        (caller->insns[index - 1].target && caller->insns[index - 1].target != start->address))
        return false;
    add_before(course, caller, index - 1);
    return add(course, &caller->insns[index - 1]);
}

bool across(struct across *out, const struct across_code *code, struct trace_values *values,
            size_t at)
{
    struct course course = {.code = code};
    const struct trace *known = values->trace;
    const struct insn *culprit = known->insns[at];
    const struct function *function = code->find(code->context, culprit->address);
    size_t index = function ? function_index(function, culprit->address) : SIZE_MAX;
    if (index == SIZE_MAX || !values->stack)
        return false;
    add_caller(&course, values, function, index);
    add_before(&course, function, index);
    if (course.count <= at || course.count + (known->count - at) > ACROSS_MAX)
        return false;
    out->at = course.count;
    for (size_t i = at; i < known->count; i++)
        add(&course, known->insns[i]);
    memcpy(out->insns, course.insns, course.count * sizeof *out->insns);
    out->trace = (struct trace){
        .insns = out->insns, .written = out->written, .count = (uint8_t)course.count};
    memcpy(out->trace.segments, course.segments, sizeof out->trace.segments);
    out->trace.segment_count = (uint8_t)course.segment_count;
    trace_seal(&out->trace, out->written);
    return true;
}
