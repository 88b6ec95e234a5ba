#include "view/view.h"
#include <errno.h>
int screen_open(struct screen **s, const struct view_options *o, const struct screen_sources *so, struct error *e){(void)s;(void)o;(void)so; return error_set(e,-ENOTTY,"no terminal; use -b for batch tables");}
void screen_close(struct screen *s){(void)s;}
void screen_emergency_restore(void){}
void screen_show(struct screen *s, const struct snapshot *n, void (*r)(const struct snapshot *)){(void)s;r(n);}
struct request screen_input(struct screen *s){(void)s;return (struct request){0};}
void screen_message(struct screen *s, const char *t){(void)s;(void)t;}
void screen_suspend(struct screen *s){(void)s;}
void screen_resume(struct screen *s){(void)s;}
const struct snapshot *screen_snapshot(const struct screen *s){(void)s;return 0;}
void picker_show(struct screen *s, const struct picker_row *r, size_t c){(void)s;(void)r;(void)c;}
struct request picker_input(struct screen *s){(void)s;return (struct request){0};}
