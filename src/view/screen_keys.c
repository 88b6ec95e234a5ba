/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys and the mouse as the terminal sends them. */
#include "view/screen_part.h"

#include "view/browser.h"
#include "view/keys.h"

static uint32_t key_of_code(wint_t code)
{
    static const struct {
        int code;
        uint32_t key;
    } keys[] = {{KEY_UP, KEYS_UP},
                {KEY_DOWN, KEYS_DOWN},
                {KEY_LEFT, KEYS_LEFT},
                {KEY_RIGHT, KEYS_RIGHT},
                {KEY_PPAGE, KEYS_PAGE_UP},
                {KEY_NPAGE, KEYS_PAGE_DOWN},
                {KEY_HOME, KEYS_HOME},
                {KEY_END, KEYS_END},
                {KEY_ENTER, KEYS_ENTER},
                {KEY_BTAB, KEYS_BACK_TAB},
                {KEY_BACKSPACE, KEYS_BACKSPACE},
                {KEY_A1, KEYS_HOME},
                {KEY_C1, KEYS_END},
                {KEY_A3, KEYS_PAGE_UP},
                {KEY_C3, KEYS_PAGE_DOWN}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if ((wint_t)keys[i].code == code)
            return keys[i].key;
    if (code >= KEY_F(1) && code <= KEY_F(12))
        return KEYS_F1 + (uint32_t)(code - KEY_F(1));
    return 0;
}

static uint32_t key_of_character(wint_t character)
{
    switch (character) {
    case '\r':
    case '\n':
        return KEYS_ENTER;
    case '\t':
        return KEYS_TAB;
    case 27:
        return KEYS_ESCAPE;
    case 8:
    case 127:
        return KEYS_BACKSPACE;
    default:
        return (uint32_t)character;
    }
}

static bool read_mouse(struct input *input)
{
    MEVENT event;
    if (getmouse(&event) != OK)
        return false;
    input->row = event.y;
    input->column = event.x;
    if (event.bstate & BUTTON4_PRESSED)
        input->kind = INPUT_WHEEL_UP;
    else if (event.bstate & BUTTON5_PRESSED)
        input->kind = INPUT_WHEEL_DOWN;
    else if (event.bstate & BUTTON1_PRESSED)
        input->kind = INPUT_CLICK;
    else
        return false;
    return true;
}

bool screen_read(struct input *input)
{
    wint_t code;
    int kind = get_wch(&code);
    *input = (struct input){.kind = INPUT_KEY};
    if (kind == ERR)
        return false;
    if (kind == KEY_CODE_YES && code == KEY_MOUSE)
        read_mouse(input);
    else if (kind == KEY_CODE_YES)
        input->key = key_of_code(code);
    else
        input->key = key_of_character(code);
    return true;
}
