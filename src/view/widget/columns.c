/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "view/display/canvas.h"
#include "view/widget/chart.h"

enum {
    GAP = 1,
    ROWS_MEASURED = 200,
    NAME_COLUMNS = 20,
    NAMES_LONG = 60,
    NAME_COLUMNS_WANTED = 28,
    CODE_COLUMNS_WANTED = 88,
    RANK_OF_WANTED_MAX = 2
};

static const void *path_resolve_row(const struct path *path, const void *row)
{
    const char *at = row;
    if (at && path->via_pointer)
        memcpy(&at, at + path->via_pointer - 1, sizeof at);
    return at ? at + path->offset : NULL;
}

static struct value path_integer(const struct path *path, uint64_t integer)
{
    return path->known ? value_known(integer) : value_integer(integer);
}

/* Empty text is unknown, but the value keeps it for JSON. */
static struct value path_text(const struct path *path, const char *text)
{
    struct value value = value_text(text);
    if (path->known && value.kind == VALUE_UNKNOWN)
        value.text = NULL;
    return value;
}

static double path_double(const char *row, uint32_t offset)
{
    return *(const double *)(const void *)(row + offset);
}

static struct value path_computed(const struct path *path, const char *row)
{
    double member = path_double(row, path->offset);
    double with = path_double(row, path->operands[0]);
    if (path->kind == PATH_SUM)
        return value_number(member + with);
    if (path->kind == PATH_CHANGE)
        return value_number(member > 0 ? (with - member) / member : NAN);
    if (path->kind == PATH_COUNTED)
        return value_number(with > 0 ? member * (with + path_double(row, path->operands[1])) / with
                                     : member);
    bool known =
        with > 0 && path_double(row, path->operands[1]) + path_double(row, path->operands[2]) > 0;
    return value_number(known ? member / with : NAN);
}

static struct value value_at(const struct path *path, const char *at)
{
    switch (at ? path->kind : PATH_NONE) {
    case PATH_DOUBLE: {
        double number = *(const double *)(const void *)at;
        return value_number(path->known && !(number > 0) ? NAN : number);
    }
    case PATH_FLOAT:
        return value_number((double)*(const float *)(const void *)at);
    case PATH_BOOL:
        return value_yes_no(*(const bool *)(const void *)at);
    case PATH_U8:
        return path_integer(path, *(const uint8_t *)(const void *)at);
    case PATH_U16:
        return path_integer(path, *(const uint16_t *)(const void *)at);
    case PATH_U32:
        return path_integer(path, *(const uint32_t *)(const void *)at);
    case PATH_U64:
        return path_integer(path, *(const uint64_t *)(const void *)at);
    case PATH_INT:
        return *(const int *)(const void *)at < 0
                   ? value_number(NAN)
                   : value_integer(*(const unsigned *)(const void *)at);
    case PATH_I64:
        return value_signed(*(const int64_t *)(const void *)at);
    case PATH_TEXT:
        return path_text(path, *(const char *const *)at);
    case PATH_TEXT_HERE:
        return path_text(path, at);
    case PATH_HALF:
        return value_number(columns_half((const struct snapshot_share *)at));
    case PATH_SUM:
    case PATH_CHANGE:
    case PATH_PART:
    case PATH_COUNTED:
        return path_computed(path, at - path->offset);
    default:
        return value_number(NAN);
    }
}

struct value path_value(const struct path *path, const void *row)
{
    return value_at(path, path_resolve_row(path, row));
}

const void *path_target(const struct path *path, const void *row)
{
    if (path->kind == PATH_NONE)
        return row;
    row = path_resolve_row(path, row);
    return row && path->kind == PATH_ROW ? *(const void *const *)row : row;
}

bool path_given(const struct path *path, const void *row)
{
    if (path->kind == PATH_ROW || path->kind == PATH_ROW_HERE)
        return path_target(path, row);
    struct value value = path_value(path, row);
    return path->kind == PATH_NONE || value.kind == VALUE_NUMBER || value.kind == VALUE_TEXT ||
           value.integer;
}

/* Returns the row that contains the value; NULL if it has none. */
static const void *column_row(const struct column *column, const struct snapshot *snapshot,
                              const void *row)
{
    row = path_target(&column->in, row);
    row = column->target ? column->target(snapshot, row) : row;
    bool known = row && path_given(&column->known_if, row) &&
                 (column->unknown_if.kind == PATH_NONE || !path_given(&column->unknown_if, row));
    return known ? row : NULL;
}

const void *columns_target(const struct column *column, const struct snapshot *snapshot,
                           const void *row)
{
    return path_target(&column->from, column_row(column, snapshot, row));
}

uint64_t columns_identity(const struct columns *columns, const struct snapshot *snapshot,
                          const void *row)
{
    return columns->identity ? columns->identity(snapshot, row)
                             : path_value(&columns->key, row).integer;
}

static struct value value_of(const struct column *column, const struct snapshot *snapshot,
                             const void *row)
{
    if (!column->value)
        return columns_element(column, snapshot, row, 0);
    row = columns_target(column, snapshot, row);
    return row ? column->value(snapshot, row) : value_number(NAN);
}

struct value columns_value(const struct column *column, const struct snapshot *snapshot,
                           const void *row)
{
    struct value value = value_of(column, snapshot, row);
    return value.kind == VALUE_UNKNOWN && column->unknown_text ? value_text(column->unknown_text)
                                                               : value;
}

struct value columns_element(const struct column *column, const struct snapshot *snapshot,
                             const void *row, unsigned index)
{
    static const size_t sizes[] = {
        [PATH_DOUBLE] = sizeof(double), [PATH_FLOAT] = sizeof(float), [PATH_U32] = sizeof(uint32_t),
        [PATH_U64] = sizeof(uint64_t),  [PATH_TEXT] = sizeof(char *), [PATH_ROW_HERE] = 0};
    const char *first = path_resolve_row(&column->from, column_row(column, snapshot, row));
    struct value value =
        value_at(&column->from, first ? first + index * sizes[column->from.kind] : NULL);
    return column->name && first ? value_text(column->name((unsigned)value.integer)) : value;
}

bool columns_given(const struct column *column, const struct snapshot *snapshot, const void *row)
{
    return (!column->present || column->present(snapshot, row)) &&
           path_given(&column->json_if, row) && path_given(&column->json_if_snapshot, snapshot);
}

static bool has_known_value(const struct columns *columns, const struct column *column,
                            const struct snapshot *snapshot)
{
    const char *rows = path_target(&columns->all, snapshot);
    uint64_t count = path_value(&columns->all_count, snapshot).integer;
    for (uint64_t i = 0; i < count; i++)
        if (columns_value(column, snapshot, rows + i * columns->row_size).kind != VALUE_UNKNOWN)
            return true;
    return false;
}

bool columns_shown(const struct columns *columns, unsigned index, const struct snapshot *snapshot)
{
    const struct column *column = &columns->list[index];
    return column->title && (!column->shown || column->shown(snapshot)) &&
           path_given(&column->shown_if, snapshot) &&
           (!column->needs_any_value || has_known_value(columns, column, snapshot));
}

static bool is_picture_column(const struct column *column)
{
    return column->look == COLUMN_BAR || column->look == COLUMN_SPARK;
}

/* Returns the width that a column with the row's name needs before less important columns are
 * added; 0: none. */
static int comfortable_width(const struct column *column, int wanted)
{
    int most = column->look == COLUMN_CODE ? CODE_COLUMNS_WANTED
               : column->look == COLUMN_NAME && column->rank <= RANK_OF_WANTED_MAX
                   ? NAME_COLUMNS_WANTED
                   : 0;
    return wanted < most ? wanted : most;
}

static int text_columns(const struct column *column, struct value value)
{
    char text[COLUMN_TEXT_BYTES];
    if (value.kind == VALUE_UNKNOWN)
        return 0;
    if (!column->format)
        return glyph_columns(value.text, false);
    column->format(text, sizeof text, value);
    return (int)strlen(text);
}

/* Returns the width of the widest cell. On screen, names get room for longer ones, because widths
 * stay fixed while it is open. */
static int wanted_width(const struct columns *columns, const struct column *column,
                        const struct snapshot *snapshot, const char *rows, size_t count,
                        bool on_screen)
{
    int wanted = column->width;
    if (is_picture_column(column))
        return column->width_max;
    if (on_screen && column->look == COLUMN_NAME && !column->rank &&
        column->width_max >= NAMES_LONG)
        wanted = NAME_COLUMNS;
    for (size_t i = 0; column->width_max && i < count && i < ROWS_MEASURED; i++) {
        int needed =
            text_columns(column, columns_value(column, snapshot, rows + i * columns->row_size));
        if (needed > wanted)
            wanted = needed < column->width_max ? needed : column->width_max;
    }
    return wanted;
}

/* Chooses columns in the order of their rank until one does not fit. Names get a readable width
 * first, because figures without names are useless. */
static void choose_by_rank(const struct columns *columns, const struct snapshot *snapshot,
                           const int wanted[COLUMNS_MAX], int width, bool pictures,
                           bool chosen[COLUMNS_MAX])
{
    int used = -GAP;
    int comfort = 0;
    for (unsigned rank = 0; rank <= UINT8_MAX; rank++)
        for (unsigned i = 0; i < columns->count; i++) {
            const struct column *column = &columns->list[i];
            if (column->rank != rank || !columns_shown(columns, i, snapshot) ||
                (!pictures && is_picture_column(column)))
                continue;
            int reserved = rank > RANK_OF_WANTED_MAX ? comfort : 0;
            if (used > 0 && used + GAP + column->width + reserved > width)
                return;
            used += GAP + column->width;
            chosen[i] = true;
            if (comfortable_width(column, wanted[i]))
                comfort += comfortable_width(column, wanted[i]) - column->width;
        }
}

/* Distributes spare room among the columns that can grow; bars and sparklines last. */
static int widen_columns(struct layout *layout, const struct columns *columns,
                         const int wanted[COLUMNS_MAX], int spare, bool pictures)
{
    bool grown = true;
    while (spare > 0 && grown) {
        grown = false;
        for (unsigned i = 0; i < layout->count && spare > 0; i++) {
            unsigned index = layout->places[i].index;
            if (is_picture_column(&columns->list[index]) != pictures ||
                layout->places[i].width >= wanted[index])
                continue;
            layout->places[i].width++;
            spare--;
            grown = true;
        }
    }
    return spare;
}

/* Places the chosen columns that fit, in the chosen order. */
static void place_chosen(const struct columns *columns, const struct column_choice *choice,
                         const struct snapshot *snapshot, int width, struct layout *layout)
{
    int used = -GAP;
    for (unsigned i = 0; i < choice->count; i++) {
        const struct column *column = &columns->list[choice->index[i]];
        if (!columns_shown(columns, choice->index[i], snapshot) ||
            used + GAP + column->width > width)
            continue;
        used += GAP + column->width;
        layout->places[layout->count++].index = choice->index[i];
    }
}

void columns_layout(const struct columns *columns, const struct column_choice *choice,
                    const struct snapshot *snapshot, const void *rows, size_t count, int width,
                    bool pictures, struct layout *layout)
{
    bool chosen[COLUMNS_MAX] = {false};
    int wanted[COLUMNS_MAX] = {0};
    int comfortable[COLUMNS_MAX] = {0};
    int used = -GAP;
    int start = 0;
    *layout = (struct layout){0};
    for (unsigned i = 0; i < columns->count; i++) {
        wanted[i] = wanted_width(columns, &columns->list[i], snapshot, rows, count, pictures);
        comfortable[i] = comfortable_width(&columns->list[i], wanted[i]);
    }
    if (choice && choice->count) {
        place_chosen(columns, choice, snapshot, width, layout);
    } else {
        choose_by_rank(columns, snapshot, wanted, width, pictures, chosen);
        for (unsigned i = 0; i < columns->count; i++)
            if (chosen[i])
                layout->places[layout->count++].index = i;
    }
    for (unsigned i = 0; i < layout->count; i++) {
        layout->places[i].width = columns->list[layout->places[i].index].width;
        used += layout->places[i].width + GAP;
    }
    int spare = widen_columns(layout, columns, comfortable, width - used, false);
    spare = widen_columns(layout, columns, wanted, spare, false);
    widen_columns(layout, columns, wanted, spare, true);
    for (unsigned i = 0; i < layout->count; i++) {
        layout->places[i].start = start;
        if (start + layout->places[i].width > width)
            layout->places[i].width = width > start ? width - start : 0;
        start += layout->places[i].width + GAP;
    }
}

static const char *plain_name(const struct column *column)
{
    return !column->title ? "" : *column->title ? columns_title(column, true) : "bar";
}

void columns_setting_name(const struct columns *columns, unsigned index, char *out, size_t size)
{
    const char *name = plain_name(&columns->list[index]);
    unsigned same = 1;
    for (unsigned i = 0; i < index; i++)
        same += !strcmp(plain_name(&columns->list[i]), name);
    if (same > 1)
        snprintf(out, size, "%s#%u", name, same);
    else
        snprintf(out, size, "%s", name);
}

static bool column_named(const struct columns *columns, unsigned index, const char *name,
                         size_t length)
{
    char own[64];
    if (!columns->list[index].title)
        return false;
    columns_setting_name(columns, index, own, sizeof own);
    return strlen(own) == length && !strncmp(own, name, length);
}

void column_choice_parse(const struct columns *columns, const char *text,
                         struct column_choice *choice)
{
    *choice = (struct column_choice){0};
    for (; *text; text += *text == ',') {
        size_t length = strcspn(text, ",");
        for (unsigned i = 0; i < columns->count; i++)
            if (choice->count < COLUMNS_MAX && column_named(columns, i, text, length))
                choice->index[choice->count++] = (uint8_t)i;
        text += length;
    }
}

void column_choice_text(const struct columns *columns, const struct column_choice *choice,
                        char *out, size_t size)
{
    *out = '\0';
    for (unsigned i = 0; i < choice->count; i++) {
        char name[64];
        columns_setting_name(columns, choice->index[i], name, sizeof name);
        text_append(out, size, "%s%s", i ? "," : "", name);
    }
}

void columns_text(const struct column *column, const struct snapshot *snapshot, const void *row,
                  int width, bool ascii, char *out, size_t size)
{
    struct value value = columns_value(column, snapshot, row);
    *out = '\0';
    if (column->look == COLUMN_SPARK) {
        bar_spark(out, size, width, column->series(row), SNAPSHOT_HISTORY, 0, ascii);
    } else if (value.kind == VALUE_UNKNOWN) {
        return;
    } else if (column->look == COLUMN_BAR) {
        bar_fill(out, size, width, value.number, ascii);
    } else if (column->format) {
        column->format(out, size, value);
    } else {
        glyph_fit(out, size, value.text, width,
                  column->look == COLUMN_NAME ? GLYPH_CUT_MIDDLE : GLYPH_CUT_END, ascii);
    }
}

static int compare_known(const struct value *left, const struct value *right)
{
    switch (left->kind) {
    case VALUE_NUMBER:
        return left->number > right->number ? -1 : left->number < right->number;
    case VALUE_INTEGER:
    case VALUE_YES_NO:
        return left->integer > right->integer ? -1 : left->integer < right->integer;
    case VALUE_SIGNED:
        return (int64_t)left->integer > (int64_t)right->integer
                   ? -1
                   : (int64_t)left->integer < (int64_t)right->integer;
    case VALUE_TEXT:
        return strcasecmp(left->text, right->text);
    default:
        return 0;
    }
}

int columns_compare(const struct column *column, const struct snapshot *snapshot, const void *left,
                    const void *right, bool invert)
{
    struct value a = columns_value(column, snapshot, left);
    struct value b = columns_value(column, snapshot, right);
    if (a.kind != b.kind)
        return a.kind == VALUE_UNKNOWN ? 1 : b.kind == VALUE_UNKNOWN ? -1 : 0;
    return invert ? -compare_known(&a, &b) : compare_known(&a, &b);
}

bool columns_match(const struct columns *columns, const struct snapshot *snapshot, const void *row,
                   const char *part)
{
    for (unsigned i = 0; i < columns->count; i++) {
        if (!columns->list[i].title)
            continue;
        struct value value = columns_value(&columns->list[i], snapshot, row);
        if (value.kind == VALUE_TEXT && strcasestr(value.text, part))
            return true;
    }
    return false;
}

double columns_reach(const struct snapshot_share *share)
{
    return fmax(share->high - share->value, share->value - share->low);
}

double columns_half(const struct snapshot_share *share)
{
    return (share->high - share->low) / 2;
}

const struct snapshot_object *columns_object(const struct snapshot *snapshot, uint32_t index)
{
    return index < snapshot->object_count ? &snapshot->objects[index] : NULL;
}

const struct snapshot_object *columns_object_of(const struct snapshot *snapshot, uint32_t id)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].id == id)
            return &snapshot->objects[i];
    return NULL;
}

const struct snapshot_object *columns_object_named(const struct snapshot *snapshot,
                                                   const char *name)
{
    for (size_t i = 0; name && *name && i < snapshot->object_count; i++)
        if (!strcmp(snapshot->objects[i].name, name))
            return &snapshot->objects[i];
    return NULL;
}

const struct snapshot_code *columns_code(const struct snapshot *snapshot, uint32_t id)
{
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].id == id)
            return &snapshot->code[i];
    return NULL;
}

const void *columns_object_at(const struct snapshot *snapshot, const void *index)
{
    return index ? columns_object(snapshot, *(const uint32_t *)index) : NULL;
}

void columns_caption(const struct columns *columns, const struct snapshot *snapshot,
                     const void *row, char *out, size_t size)
{
    char text[COLUMN_TEXT_BYTES];
    *out = '\0';
    for (unsigned i = 0; i < columns->count; i++) {
        const struct column *column = &columns->list[i];
        if (!column->title || column->paint != paint_strong)
            continue;
        columns_text(column, snapshot, row, COLUMN_TEXT_BYTES, false, text, sizeof text);
        text_append(out, size, "%s%s", *out && *text ? ", " : "", text);
    }
}

void columns_share(struct explained *out, const char *label, double share, const char *text)
{
    char percent[16];
    format_percent(percent, sizeof percent, value_number(share));
    out->label = label;
    snprintf(out->text, sizeof out->text, "%6s  %s", percent, text);
}

const char *columns_title(const struct column *column, bool ascii)
{
    return ascii && !strcmp(column->title, "±") ? "+-" : column->title;
}

/* ---- values of cells: how they are formatted and painted ---- */

struct value value_number(double number)
{
    return (struct value){.kind = isnan(number) ? VALUE_UNKNOWN : VALUE_NUMBER, .number = number};
}

struct value value_integer(uint64_t integer)
{
    return (struct value){.kind = VALUE_INTEGER, .integer = integer};
}

struct value value_signed(int64_t integer)
{
    return (struct value){.kind = VALUE_SIGNED, .integer = (uint64_t)integer};
}

struct value value_known(uint64_t integer)
{
    return (struct value){.kind = integer ? VALUE_INTEGER : VALUE_UNKNOWN, .integer = integer};
}

struct value value_yes_no(bool yes)
{
    return (struct value){.kind = VALUE_YES_NO, .integer = yes, .text = yes ? "yes" : "no"};
}

struct value value_text(const char *text)
{
    return (struct value){.kind = text && *text ? VALUE_TEXT : VALUE_UNKNOWN, .text = text};
}

void format_percent(char *out, size_t size, struct value value)
{
    double percent = value.number * 100;
    if (percent > 0 && percent < 0.05)
        snprintf(out, size, "<0.1%%");
    else
        snprintf(out, size, "%.*f%%", percent < 99.95 ? 1 : 0, percent);
}

void format_points(char *out, size_t size, struct value value)
{
    double points = value.number * 100;
    snprintf(out, size, "%.*f", points < 0.095 ? 2 : points < 9.95 ? 1 : 0, points);
}

void format_count(char *out, size_t size, struct value value)
{
    char text[16];
    double count = value.kind == VALUE_INTEGER ? (double)value.integer : value.number;
    snprintf(out, size, "%s", text_count(text, count));
}

void format_bytes(char *out, size_t size, struct value value)
{
    char text[16];
    snprintf(out, size, "%s", text_bytes(text, value.integer));
}

void format_integer(char *out, size_t size, struct value value)
{
    if (value.kind == VALUE_SIGNED)
        snprintf(out, size, "%" PRId64, (int64_t)value.integer);
    else
        snprintf(out, size, "%" PRIu64, value.integer);
}

void format_address(char *out, size_t size, struct value value)
{
    snprintf(out, size, "0x%" PRIx64, value.integer);
}

void format_offset(char *out, size_t size, struct value value)
{
    snprintf(out, size, "%+" PRId64, (int64_t)value.integer);
}

void format_times(char *out, size_t size, struct value value)
{
    snprintf(out, size, "%.*fx", value.number < 9.95 ? 1 : 0, value.number);
}

void format_seconds(char *out, size_t size, struct value value)
{
    double seconds = value.number;
    if (seconds >= 5400)
        snprintf(out, size, "%.1fh", seconds / 3600);
    else if (seconds >= 90)
        snprintf(out, size, "%.1fm", seconds / 60);
    else if (seconds >= 0.9995)
        snprintf(out, size, "%.1fs", seconds);
    else if (seconds >= 0.0009995)
        snprintf(out, size, "%.0fms", seconds * 1e3);
    else if (seconds >= 0.0000009995)
        snprintf(out, size, "%.0fus", seconds * 1e6);
    else
        snprintf(out, size, "%.0fns", seconds * 1e9);
}

void format_time(char *out, size_t size, struct value value)
{
    char text[TEXT_TIME_BYTES];
    snprintf(out, size, "%s", text_time(text, value.number));
}

void format_gained(char *out, size_t size, struct value value)
{
    snprintf(out, size, "%+.1f", value.number * 100);
}

enum paint paint_share(struct value value)
{
    return value.kind == VALUE_NUMBER ? paint_heat(value.number) : PAINT_PLAIN;
}

enum paint paint_dim(struct value value)
{
    (void)value;
    return PAINT_DIM;
}

enum paint paint_strong(struct value value)
{
    (void)value;
    return PAINT_STRONG;
}

enum paint paint_load(struct value value)
{
    return value.number >= 0.005 ? PAINT_LOAD : PAINT_DIM;
}

enum paint paint_store(struct value value)
{
    return value.number >= 0.005 ? PAINT_STORE : PAINT_DIM;
}
