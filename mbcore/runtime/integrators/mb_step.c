/* One step of integration: attempted until its error is small and it passes no singular
 * configuration, shortened to the first event in it, ended with the changes by that event.
 */
#include <math.h>
#include <string.h>

#include "mb_integrator.h"
#include "mb_tolerances.h"

static const double SHORTEST = 4e-15;     /* step, relative to time */
static const double ALMOST = 0.999;       /* or there where that is so early in the call */
static const double UP_TO_SINGULARITY = 0.99; /* and at this part of the way to a singularity */
static const double ROUNDED = 1 + 1e-7;   /* a step that is longer by rounding is one yet */
static const double LEFT = 0.1;           /* part of a step that is not shortened any more */

static int stops_here(const mb_instance *m, const mb_step_context *context)
{
    return m->event_mode_used && m->early_return_allowed && m->now.t > context->begin &&
           mb_largest_contradiction(m) > 0 && !mb_knots_alone(m);
}

/* Counts the events that have occurred, and fails if they follow each other without end. */
static mb_status count_events(mb_instance *m, mb_step_context *context)
{
    context->all_events++;
    if (context->events++ == 0)
        context->events_since = m->now.t;
    if (context->events <= MB_MOST_EVENTS)
        return MB_OK;
    context->events = 0;
    if (m->now.t - context->events_since >= MB_ENDLESS * (context->end - context->begin))
        return MB_OK;
    return mb_fail(m,
                   "more than %d events between t = %.17g s and t = %.17g s, the last of them %s; "
                   "give its indicator a wider band or check parameters",
                   MB_MOST_EVENTS, context->events_since, m->now.t, MB_MODEL->event[m->last_event]);
}

/* Ends a step, or begins the call: the point is accepted and its events occur. */
mb_status mb_end_step(mb_instance *m, mb_step_context *context)
{
    mb_status status = mb_accept(m);
    if (!status)
        status = mb_indicate(m);
    if (status)
        return status;
    const int knots = mb_knots_alone(m);
    if (stops_here(m, context)) {
        context->event_needed = 1;
        m->step_size = (mb_step_size){0};
        return MB_OK;
    }
    if ((status = mb_iterate_events(m)))
        return status;
    if (!(m->fresh & MB_ACCEPTED) && !knots) { /* events have occurred */
        m->step_size.time_to_impact = mb_time_to_impact(m, &m->step_size.exactly);
        mb_forget_steps(m);
        if (!m->method->adaptive)
            mb_forget_trend(m);
        if (MB_MODEL->kind[m->last_event] != MB_IMPACT)
            m->step_size = (mb_step_size){0}; /* the right-hand side is another one */
        if ((status = count_events(m, context)))
            return status;
    }
    if (!(status = mb_project(m)))
        status = mb_accept(m);
    return status;
}

static double end_time(const mb_instance *m, double h, double whole, double t)
{
    return h == whole ? t : m->accepted.t + h;
}

static int event_in_step(mb_instance *m, double h)
{
    return m->inside < h || mb_indicate(m) || mb_largest_contradiction(m) > 0;
}

/* A requirement that is violated at the end of a singular step, or would be after another one, explains
 * more than the singular block. */
static mb_status say_more(mb_instance *m, double h, mb_status status)
{
    char message[MB_MESSAGE];
    memcpy(message, m->message, sizeof message);
    mb_status violated = mb_check(m);
    for (int i = 0; !violated && i < MB_MODEL->ns; i++)
        m->now.s[i] += h * m->rate[i];
    if (!violated) {
        mb_go_to(m, m->now.t + h);
        (void)mb_configure(m);
        violated = mb_check(m);
    }
    if (!violated)
        memcpy(m->message, message, sizeof message);
    return violated ? violated : status;
}

/* Refuses a step, of a method without error test, that would reach a singular configuration; where an
 * event may come first, the step is shortened until next to nothing is left of it. */
static mb_status look_ahead(mb_instance *m, double *h)
{
    double place = 1;
    const mb_status status = mb_predict_singularity(m, *h, &place);
    if (status && (MB_MODEL->ne == 0 || place < LEFT || place >= 1))
        return say_more(m, *h, status);
    *h *= status ? UP_TO_SINGULARITY * place : 1;
    return MB_OK;
}

/* Attempts steps, ever shorter ones, until one is good; one that is `whole` ends at `end` to the
 * bit. */
static mb_status attempt_until_good(mb_instance *m, double *length, double whole, double end,
                                    double *error)
{
    const mb_method *method = m->method;
    const double from = m->accepted.t, shortest = SHORTEST * fmax(fabs(from), fabs(end));
    double h = *length;
    int repeated = 0;
    for (;;) {
        if (repeated)
            mb_begin_ranges(m);
        mb_begin_attempt(m, h);
        mb_status status = method->attempt(m, h, end_time(m, h, whole, end), error);
        const int good = !method->adaptive || *error <= 1;
        double next = status ? 0.25 * h : good ? h : mb_shorten(m, h, *error);
        if (!status && good) {
            double place;
            if (!(status = mb_check_singularity(m, h, &place)))
                break;
            if (!event_in_step(m, h))
                return say_more(m, h, status);
            next = UP_TO_SINGULARITY * place * h; /* the event may come first */
        }
        if (mb_exhausted(m))
            return mb_fail_exhausted(m);
        if (next <= shortest) {
            if (!status)
                status = mb_fail(m, "the error stays above the tolerance for any step at t = %.9g s; %s",
                                 from,
                                 method->rosenbrock
                                     ? "the motion is singular there, or the tolerance too tight for "
                                       "rounding: loosen solver.tolerance"
                                     : "loosen solver.tolerance or let solver.method be rosenbrock");
            return mb_fail_if_singular(m, status);
        }
        h = next;
        repeated = 1;
    }
    *length = h;
    if (method->adaptive)
        mb_next_step_size(m, h, *error, repeated);
    return MB_OK;
}

/* Divides the rest of the call into equal steps and makes the first of them. */
static mb_status take_step(mb_instance *m, mb_step_context *context)
{
    const int adaptive = m->method->adaptive;
    const double left = context->end - m->accepted.t;
    mb_status status = mb_prepare_step(m, left);
    if (status)
        return status;

    const double longest = adaptive ? fmin(m->step_size.next, context->longest) : m->step_size.next;
    const double parts =
        left <= ROUNDED * longest ? 1 : fmax(1, ceil(left / longest - (adaptive ? 0.01 : 1e-6)));
    const double whole = parts > 1 ? INFINITY : left;
    double h = left / parts, error = 0;
    const double expected = m->step_size.time_to_impact;
    const int exactly = adaptive && m->step_size.exactly > 0 && expected < ALMOST * left;
    if (expected > 0)
        h = fmin(h, exactly ? expected : MB_BEYOND * expected);
    memcpy(m->stage[0], m->rate, (size_t)MB_MODEL->ns * sizeof(double));
    m->check_stages = m->told_events > 0;
    if (!adaptive && (status = look_ahead(m, &h)))
        return status;
    if ((status = attempt_until_good(m, &h, whole, context->end, &error)) || (status = mb_indicate(m)))
        return status;

    int found = 0;
    if (MB_MODEL->ne > 0)
        status = mb_seek_event(m, error, exactly && h == expected, &found);
    m->check_stages = 0;
    if (status || (found && !mb_knots_alone(m)))
        return status;
    m->step_size.time_to_impact =
        mb_time_to_impact_after(m->step_size.time_to_impact, m->now.t - m->accepted.t);
    if (found)
        return MB_OK;
    if (exactly && h == expected)
        m->step_size.exactly = 0;
    m->fresh |= m->fresh & MB_INDICATED ? MB_SETTLED : 0;
    m->power_due = adaptive;
    mb_remember_step(m);
    return MB_OK;
}

/* A step by the chosen method; where an implicit one fails that was chosen automatically, by the
 * explicit one. */
mb_status mb_take_step(mb_instance *m, mb_step_context *context)
{
    if (!m->explicit_method)
        return take_step(m, context);
    mb_status status = mb_follow_stiffness(m, fmin(context->end - m->accepted.t, context->longest));
    const double work = m->work, from = m->accepted.t;
    if (!status)
        status = take_step(m, context);
    if (status && mb_give_up_implicit(m))
        status = take_step(m, context);
    if (!status)
        mb_note_pace(m, m->now.t - from, m->work - work);
    return status;
}
