/* Messages: what was wrong, where, at which value and time, and what to do.
 *
 * A failing function writes its message and returns a status; the interface logs it when it
 * returns to the importer. So a trial step that fails and is repeated smaller says nothing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mb_instance.h"

static void compose(mb_instance *m, const char *format, va_list values)
{
    vsnprintf(m->message, sizeof m->message, format, values);
}

/* The model cannot be evaluated with its present values. */
mb_status mb_fail(mb_instance *m, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    compose(m, format, values);
    va_end(values);
    return m->mode == MB_INITIALIZATION ? MB_ERROR : MB_DISCARD;
}

/* The importer asked for something that it may not. */
mb_status mb_refuse(mb_instance *m, mb_status status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    compose(m, format, values);
    va_end(values);
    return status;
}

/* The call goes on and succeeds, but what it gives may not be what it seems. */
void mb_warn(mb_instance *m, const char *format, ...)
{
    if (!m->log)
        return;
    char text[MB_MESSAGE];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    m->log(m, MB_WARNING, "logStatusWarning", text);
}

void mb_note_event(mb_instance *m, int event)
{
    if (!m->logging || !m->log)
        return;
    char text[MB_MESSAGE];
    snprintf(text, sizeof text, "event %s becomes %s at t = %.17g s", m->model->event[event],
             m->now.d[event] > 0 ? "active" : "inactive", m->now.t);
    m->log(m, MB_OK, "logEvents", text);
}

/* Warnings, refusals and failures are always logged; events where they are asked for. */
mb_status mb_set_logging(mb_instance *m, int on, size_t n, const char *const *categories)
{
    int events = n == 0;
    for (size_t i = 0; i < n; i++)
        events |= strcmp(categories[i], "logEvents") == 0;
    m->logging = on && events;
    return MB_OK;
}

static void log_message(mb_instance *m, mb_status status)
{
    if (!m->log)
        return;
    char text[MB_MESSAGE + 64];
    snprintf(text, sizeof text, "%s: %s", m->function, m->message);
    m->log(m, status, status == MB_DISCARD ? "logStatusDiscard" : "logStatusError", text);
}

static const char *mode_name(mb_mode mode)
{
    switch (mode) {
    case MB_INSTANTIATED: return "before Initialization Mode";
    case MB_INITIALIZATION: return "in Initialization Mode";
    case MB_EVENT: return "in Event Mode";
    case MB_CONTINUOUS_TIME: return "in Continuous-Time Mode";
    case MB_STEP: return "in Step Mode";
    case MB_TERMINATED: return "after termination";
    }
    return "in an unknown mode";
}

/* Whether the function may be called now. */
int mb_enter(mb_instance *m, const char *function, unsigned modes)
{
    if (!m)
        return 0;
    m->function = function;
    m->message[0] = '\0';
    if (modes & (unsigned)m->mode)
        return 1;
    mb_leave(m, mb_refuse(m, MB_ERROR,
                          "not allowed %s; the order of calls is that of the FMI standard",
                          mode_name(m->mode)));
    return 0;
}

mb_status mb_leave(mb_instance *m, mb_status status)
{
    if (status != MB_OK)
        log_message(m, status);
    return status;
}

mb_status mb_not_provided(mb_instance *m, const char *function)
{
    if (!mb_enter(m, function, MB_ANY_MODE))
        return MB_ERROR;
    return mb_leave(m, mb_refuse(m, MB_ERROR,
                                 "this FMU does not provide it; the model description says what "
                                 "it provides"));
}

const char *mb_name_of(const mb_model *model, mb_kind kind, int index)
{
    for (int i = 0; i < model->variables; i++)
        if (model->variable[i].kind == kind && model->variable[i].index == index)
            return model->variable[i].name;
    return "?";
}
