/* A call that returns Discard or Error leaves the bytes of the state, what can be read, and what comes of
 * further calls. These are compared with a twin: another instance, made from the bytes before the call,
 * which has never been refused anything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mb_integrator.h"

enum { GO_ON = 8 /* calls after the refused one */ };

typedef struct {
    double value;
    mb_status status;
} answer;

static void put(void *values, size_t i, double number) { ((double *)values)[i] = number; }

char *lasting_of(const mb_instance *m)
{
    char *bytes = array(mb_persistent_size(m), 1);
    mb_save(m, bytes);
    return bytes;
}

static size_t count(void) { return (size_t)(MB_MODEL->variables + 2 * MB_MODEL->ns + MB_MODEL->ne); }

static void fill(answer *to, int n, mb_status status, const double *values)
{
    for (int i = 0; i < n; i++) {
        to[i].value = status ? 0 : values[i];
        to[i].status = status;
    }
}

/* Every variable by itself, states, rates and indicators; the instance is as before afterwards. */
static answer *ask(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    answer *all = array(count(), sizeof *all), *to = all;
    double *values = array((size_t)(model->ns + model->ne), sizeof *values);
    const char *before = lasting_of(m);
    m->function = "the comparison of answers";
    for (unsigned i = 0; i < (unsigned)model->variables; i++, to++) {
        mb_begin_work(m);
        to->status = mb_get_variables(m, ~0u, &i, 1, put, &to->value);
        to->value = to->status ? 0 : to->value;
    }
    mb_begin_work(m);
    fill(to, model->ns, mb_get_states(m, values, (size_t)model->ns), values);
    if (m->mode != MB_INSTANTIATED) {
        mb_begin_work(m);
        fill(to + model->ns, model->ns, mb_get_rates(m, values, (size_t)model->ns), values);
        mb_begin_work(m);
        fill(to + 2 * model->ns, model->ne, mb_get_indicators(m, values, (size_t)model->ne), values);
    }
    mb_restore(m, before);
    return all;
}

static const char *name_of(size_t i)
{
    return i < (size_t)MB_MODEL->variables ? MB_MODEL->variable[i].name : "a state, rate or indicator";
}

/* What could not be asked for in the mode may be after an error. */
static void compare(const answer *is, const answer *was, const char *when, int status)
{
    for (size_t i = 0; i < count(); i++)
        if (was[i].status != MB_ERROR && (is[i].status != was[i].status || is[i].value != was[i].value))
            finding("%s a call that was refused (%d), %s reads %.17g with status %d, not %.17g with %d",
                    when, status, name_of(i), is[i].value, is[i].status, was[i].value, was[i].status);
}

static mb_instance *twin_of(const mb_instance *m, const char *bytes)
{
    char message[MB_MESSAGE];
    mb_instance *twin = mb_create("twin", "twin", MB_MODEL->token, m->interface, message);
    if (!twin)
        finding("there is no twin: %s", message);
    twin->values_before = m->values_before;
    twin->states_in_events = m->states_in_events;
    twin->event_mode_used = m->event_mode_used;
    twin->early_return_allowed = m->early_return_allowed;
    mb_restore(twin, bytes);
    mb_choose_method(twin);
    return twin;
}

/* Whether a call may be one of those after a refused one: states belong to an instance, and steps that
 * carry them change other instances. */
static int may_follow(const call *c)
{
    return c->make != integrate && !strstr(c->name, "Instance") && !strstr(c->name, "FMU") &&
           !strstr(c->name, "Reset") && !strstr(c->name, "Logging");
}

/* The answers of an instance in place of the slot's after further calls; all is as before afterwards. */
static answer *go_on(slot *s, mb_instance *with, int *statuses)
{
    const slot was = *s;
    const char *before = lasting_of(with);
    const unsigned logged = with->logged;
    const uint64_t drawn = draw_state;
    s->instance = with;
    with->logged = 0;
    with->failed = 0;
    for (int i = 0; i < GO_ON; i++) {
        const call *c = draw_call(s);
        statuses[i] = may_follow(c) ? c->make(s) : -2;
    }
    answer *all = ask(with);
    mb_restore(with, before);
    with->logged = logged;
    mb_choose_method(with);
    draw_state = drawn;
    *s = was;
    return all;
}

/* Whether bytes are equal but for that an error has occurred. */
static int alike(mb_instance *m, const char *before)
{
    const int failed = m->failed;
    const char *after = lasting_of(m);
    mb_restore(m, before);
    m->failed |= failed;
    const char *marked = lasting_of(m);
    mb_restore(m, after);
    return memcmp(marked, after, mb_persistent_size(m)) == 0;
}

void check_refused(slot *s, const char *before, int status)
{
    mb_instance *m = s->instance, *twin = twin_of(m, before);
    const int null = nulled;
    int is[GO_ON] = {0}, was[GO_ON] = {0};
    if (!alike(m, before))
        finding("a refused call (status %d) has changed the state", status);
    compare(ask(m), ask(twin), "after", status);
    if (!m->update_callback && chance(4)) {
        answer *as_before = go_on(s, twin, was);
        compare(go_on(s, m, is), as_before, "eight calls after", status);
        if (memcmp(is, was, sizeof is) != 0)
            finding("the calls after one that was refused return otherwise");
    }
    nulled = null;
    mb_free(twin);
}
