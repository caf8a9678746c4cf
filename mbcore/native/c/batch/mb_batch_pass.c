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
        *(int *)m->environment = 1;
}

static mb_status step(mb_instance *m, const mb_batch *b, mb_step_context *context, double row)
{
    context->steps++;
    mb_status status = mb_check_progress(m, context);
    context->end = row;
    if (!status)
        status = mb_take_step(m, context);
    context->end = b->time[b->times - 1];
    return status ? status : mb_end_step(m, context);
}

/* The length of the step behind an event, where the last one says nothing about it. */
static double first_step(mb_instance *m, double row)
{
    if (m->step_size.next > 0)
        return m->step_size.next;
    if (!m->method->adaptive || !(m->now.t < row) || mb_evaluate(m, MB_DERIVED))
        return 0;
    return mb_first_step(m, row - m->now.t);
}

int mb_batch_pass(const mb_batch *b, mb_analysis *a, mb_step_context *context, double row, double *next)
{
    const mb_stepping how = {b->method, b->relative, b->absolute, b->longest_step};
    mb_instance *m = a->m;
    const int events = context->all_events;
    int warned = 0;
    m->extra[MB_EXTRA_fired] = m->fired; /* not the host's */
    m->environment = &warned;
    m->log = note_warning;
    m->input_mode = MB_INPUTS_CONSTANT;
    mb_start_logging(m, 0, MB_LOG_WARNING);
    memset(m->warned, 0, (size_t)m->model->nq);
    memcpy(m->nominal, b->nominal, (size_t)m->model->ns * sizeof(double));
    memcpy(a->lowest, m->largest, (size_t)m->model->nr * sizeof(double));
    mb_begin_steps(m, &how, a->lowest);
    m->step_size = (mb_step_size){*next, 0, 0};
    context->longest = b->longest_step;
    mb_status status = mb_accept(m);
    if (!status)
        status = mb_end_step(m, context);
    if (!status && context->all_events == events)
        status = step(m, b, context, row);
    *next = status ? 0 : first_step(m, row);
    m->log = NULL;
    m->environment = NULL;
    return !status && !warned && !mb_is_near_singular(m, b->conditioning_threshold);
}
