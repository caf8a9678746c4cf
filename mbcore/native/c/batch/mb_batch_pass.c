/* What lanes do not do: an instance by itself makes the step in which something unusual happens, with
 * its events, by the steps of mb_step.c.
 */
#include <math.h>
#include <string.h>

#include "mb_batch.h"
#include "mb_tolerances.h"

/* Logger of the instance: a warning is the host's to give. */
static void note_warning(mb_instance *m, mb_status status, const char *category, const char *message)
{
    (void)category, (void)message;
    if (status == MB_WARNING)
        ((mb_batch_instance *)m->environment)->unusual = 1;
}

int mb_batch_follow(mb_batch_instance *one, double t)
{
    const mb_signals *signals = &one->batch->signals;
    unsigned char usual = 1;
    one->place.t = t;
    if (signals->count)
        mb_follow_signals(signals, 1, &one->place, one->value, &usual);
    for (int i = 0; i < signals->count; i++)
        one->a->m->now.u[signals->signal[i].input] = one->value[i];
    one->unusual |= !usual;
    return usual;
}

static void request_signals(mb_instance *m) { mb_batch_follow(m->environment, m->update.t); }

static mb_status step(mb_batch_instance *one, mb_step_context *context)
{
    mb_instance *m = one->a->m;
    const double end = context->end;
    context->steps++;
    mb_status status = mb_check_progress(m, context);
    context->end = one->place.until;
    if (!status)
        status = mb_take_step(m, context);
    context->end = end;
    return status ? status : mb_end_step(m, context);
}

/* The length of the step behind an event, where the last one says nothing about it. */
static double first_step(mb_instance *m, double end)
{
    if (m->step_size.next > 0)
        return m->step_size.next;
    if (!m->method->adaptive || !(m->now.t < end) || mb_evaluate(m, MB_DERIVED))
        return 0;
    return mb_first_step(m, end - m->now.t);
}

/* Prepares the instance for steps of the batch from `now`. */
static void begin(mb_batch_instance *one)
{
    const mb_batch *b = one->batch;
    mb_instance *m = one->a->m;
    m->extra[MB_EXTRA_fired] = m->fired; /* not the host's */
    m->environment = one;
    m->log = note_warning;
    m->update_callback = request_signals;
    m->update_from = m->now.t;
    m->update_until = one->place.until;
    m->input_mode = b->signals.count ? MB_INPUTS_REQUESTED : MB_INPUTS_CONSTANT;
    mb_start_logging(m, 0, MB_LOG_WARNING);
    memset(m->warned, 0, (size_t)MB_MODEL->nq);
    memcpy(m->nominal, b->nominal, (size_t)MB_MODEL->ns * sizeof(double));
    memcpy(one->a->lowest, m->largest, (size_t)MB_MODEL->nr * sizeof(double));
    mb_begin_steps(m, &b->steps, one->a->lowest);
}

int mb_batch_pass(mb_batch_instance *one, mb_step_context *context, double *next)
{
    const mb_batch *b = one->batch;
    mb_instance *m = one->a->m;
    const int events = context->all_events;
    one->unusual = 0;
    /* inputs that jump here may move what they prescribe */
    if (!mb_batch_follow(one, m->now.t) || (b->signals.count && !mb_converge(m, &m->now)))
        return 0;
    begin(one);
    m->step_size = (mb_step_size){.next = *next};
    context->longest = b->steps.longest_step;
    mb_status status = mb_accept(m);
    if (!status)
        status = mb_end_step(m, context);
    if (!status && context->all_events == events)
        status = step(one, context);
    *next = status ? 0 : first_step(m, one->place.until);
    m->log = NULL;
    m->environment = NULL;
    m->update_callback = NULL;
    m->input_mode = MB_INPUTS_CONSTANT;
    return !status && !one->unusual && !mb_is_near_singular(m, b->conditioning_threshold);
}
