/* Messages: what was wrong, where, at which value and time, and what to do.
 *
 * A failing function writes its message and returns a status; mb_leave logs it when the call returns
 * to the importer. So a trial step that fails and is repeated with a smaller length logs nothing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mb_instance.h"

static const struct {
    const char *name;
    unsigned categories;
} CATEGORY[] = {
    {"logEvents", MB_LOG_EVENTS},        {"logStatusWarning", MB_LOG_WARNING},
    {"logStatusDiscard", MB_LOG_DISCARD}, {"logStatusError", MB_LOG_ERROR},
    {"logStatusFatal", MB_LOG_FATAL},     {"logAll", MB_LOG_ALL},
};
enum { CATEGORIES = sizeof CATEGORY / sizeof *CATEGORY };

static void deliver(mb_instance *m, mb_status status, unsigned category, const char *text)
{
    if (!m->log || !(m->logged & category))
        return;
    int i = 0;
    while (CATEGORY[i].categories != category)
        i++;
    m->log(m, status, CATEGORY[i].name, text);
}

/* The call is not allowed, or its arguments are wrong. */
mb_status mb_refuse(mb_instance *m, mb_status status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(m->message, sizeof m->message, format, values);
    va_end(values);
    return status;
}

/* The call succeeds, but its results may not be what the user expects. */
void mb_warn(mb_instance *m, const char *format, ...)
{
    char text[MB_MESSAGE];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    deliver(m, MB_WARNING, MB_LOG_WARNING, text);
}

void mb_note_event(mb_instance *m, int event)
{
    if (!m->log || !(m->logged & MB_LOG_EVENTS))
        return;
    char text[MB_MESSAGE];
    snprintf(text, sizeof text, "event %s becomes %s at t = %.17g s", MB_MODEL->event[event],
             m->now.d[event] > 0 ? "active" : "inactive", m->now.t);
    deliver(m, MB_OK, MB_LOG_EVENTS, text);
}

/* Categories in `always` are logged even if logging is off, because their messages explain a status.
 * An importer can switch them off by naming them in SetDebugLogging. */
void mb_start_logging(mb_instance *m, int on, unsigned always)
{
    m->always_logged = always;
    m->logged = on ? MB_LOG_ALL : always;
}

/* Switches the given categories, or all where none is given. */
mb_status mb_set_logging(mb_instance *m, int on, size_t n, const char *const *categories)
{
    unsigned chosen = 0;
    for (size_t i = 0; i < n; i++) {
        int known = 0;
        while (known < CATEGORIES && categories[i] && strcmp(categories[i], CATEGORY[known].name) != 0)
            known++;
        if (!categories[i] || known == CATEGORIES)
            return mb_refuse(m, MB_ERROR,
                             "there is no log category %.100s; the model description lists them",
                             categories[i] ? categories[i] : "of a null pointer");
        chosen |= CATEGORY[known].categories;
    }
    if (n == 0)
        m->logged = on ? MB_LOG_ALL : m->always_logged;
    else
        m->logged = on ? m->logged | chosen : m->logged & ~chosen;
    return MB_OK;
}

/* The message of a call that does not succeed. */
void mb_log_failure(mb_instance *m, mb_status status)
{
    char text[MB_MESSAGE + 64];
    snprintf(text, sizeof text, "%s: %s", m->function, m->message);
    deliver(m, status, status == MB_DISCARD ? MB_LOG_DISCARD : MB_LOG_ERROR, text);
}

/* The row of a value reference; where there is none, refuses it and returns NULL. */
const mb_variable *mb_referenced(mb_instance *m, unsigned reference)
{
    if (reference < (unsigned)MB_MODEL->variables)
        return &MB_MODEL->variable[reference];
    mb_refuse(m, MB_ERROR, "value reference %u does not exist; the model description lists 0 to %d",
              reference, MB_MODEL->variables + (m->takes_arrays ? MB_MODEL->arrays : 0) - 1);
    return NULL;
}

/* The row of a variable, NULL where it has none of its own. */
const mb_variable *mb_row_of(const mb_model *model, mb_kind kind, int index)
{
    for (int i = 0; i < model->variables; i++)
        if (model->variable[i].kind == kind && model->variable[i].index == index)
            return &model->variable[i];
    return NULL;
}

const char *mb_name_of(const mb_model *model, mb_kind kind, int index)
{
    const mb_variable *row = mb_row_of(model, kind, index);
    return row ? row->name : "?";
}
