/* Events in a flow: where the first one lies in a step, what it changes, and the saltation matrix
 *
 *     y+ = [R_s + (f+ - R_s f- - R_t) g_s / g'] y,    g' = g_s f- + g_t,
 *
 * by which the columns of the derivative pass through it; mbcore/periodic/saltation.py says more. Modes
 * and states change as in the runtime, by mb_iterate_events. Where anything is not as it should be, the
 * host examines the whole step.
 */
#include <math.h>
#include <string.h>

#include "mb_flow.h"
#include "mb_search.h"
#include "mb_tolerances.h"

/* Where the event lies */

/* The first values at a part of the last step, whose interpolant is known for these. */
static void between(mb_flow *f, double part, int count, double *to)
{
    if (f->collocation)
        mb_collocation_between(f, part, count, to);
    else
        mb_explicit_between(f, part, count, to);
}

static void values_at(mb_flow *f, double t, int count, double *to)
{
    const double begin = f->origin->t;
    if (t == f->t)
        memcpy(to, f->y, (size_t)count * sizeof(double));
    else
        between(f, (t - begin) / (f->t - begin), count, to);
}

/* Indicators with their band, positive where modes are right, at a time in the last step; returns
 * whether they are known. */
static int indicators_at(void *owner, double t, double *indicator)
{
    mb_flow *f = owner;
    mb_instance *m = f->analysis->m;
    const mb_model *model = MB_MODEL;
    values_at(f, t, mb_flow_states(f), f->raw);
    if (!mb_flow_go_to(f, t, f->raw))
        return 0;
    mb_run(m, &model->indicator, f->at, indicator, NULL);
    for (int i = 0; i < model->ne; i++)
        indicator[i] = (f->at->d[i] > 0.5 ? indicator[i] : -indicator[i]) + model->band[i];
    return mb_all_finite(indicator, model->ne);
}

/* The time just beyond the first event in the last step; INFINITY where there is none, NaN where an
 * indicator is not known. */
static double first_event(mb_flow *f)
{
    mb_search search = {.begin = f->origin->t, .end = f->t, .parts = f->parts, .events = MB_MODEL->ne,
                        .sample = f->indicator, .indicator = f->analysis->m->indicator,
                        .between = indicators_at, .owner = f};
    if (!f->collocation && !mb_explicit_dense(f, 0))
        return NAN;
    return mb_fill_samples(&search, 0, f->parts) ? mb_first_event(&search) : NAN;
}

/* What it changes */

static int directions(const mb_flow *f) { return mb_flow_states(f) + 1 + f->varied; }

/* Sets a variation: of a state, of time with the inputs that follow it, or of what is varied. */
static void vary(mb_flow *f, int direction, double by)
{
    mb_instance *m = f->analysis->m;
    const int n = mb_flow_states(f), time = MB_MODEL->ns;
    m->whole_variation[direction < n    ? mb_flow_place(f, direction)
                       : direction == n ? time
                                        : f->value[direction - n - 1]] = by;
    for (int i = 0; direction == n && i < MB_MODEL->nu; i++)
        m->whole_variation[time + 1 + i] = by * f->passage.slope[i];
}

/* Calculates how inputs that are functions of time change with it; returns whether it could. */
static int find_slopes_of_inputs(mb_flow *f)
{
    const int nu = MB_MODEL->nu;
    const size_t size = (size_t)nu * sizeof(double);
    double *slope = f->passage.slope, *given = slope + nu;
    memset(slope, 0, size);
    if (!f->input)
        return 1;
    memcpy(given, f->at->u, size);
    for (int side = 1; side >= -1; side -= 2) {
        mb_flow_give_inputs(f, f->at->t + side * f->input_span);
        for (int i = 0; i < nu; i++)
            slope[i] += side * f->at->u[i] / (2 * f->input_span);
        memcpy(f->at->u, given, size);
        if (f->ended)
            return 0;
    }
    return 1;
}

/* Calculates how the indicator of an event that has fired changes, and returns its rate. */
static double find_crossing(mb_flow *f, int event, double *crossing)
{
    mb_instance *m = f->analysis->m;
    const int n = mb_flow_states(f);
    double rate = 0;
    for (int k = 0; k < directions(f); k++) {
        vary(f, k, 1);
        mb_run(m, &mb_generated_functions[f->indicator_change], &m->now, f->indicator, NULL);
        vary(f, k, 0);
        crossing[k] = f->indicator[event];
        rate += k < n ? crossing[k] * f->passage.before[k] : k == n ? crossing[k] : 0;
    }
    return rate;
}

/* Whether the changes of two indicators over their rates agree, compared without division. */
static int come_together(const mb_flow *f, double rate, double other_rate)
{
    const mb_passage *p = &f->passage;
    double off = 0, largest = 0;
    for (int k = 0; k < directions(f); k++) {
        const double time = p->other[k] * rate;
        off = fmax(off, fabs(time - p->crossing[k] * other_rate));
        largest = fmax(largest, fabs(time));
    }
    return off <= f->together * largest;
}

/* Notes how the time of the event changes, from all indicators that have fired. */
static void note_crossing(mb_flow *f)
{
    mb_instance *m = f->analysis->m;
    mb_passage *p = &f->passage;
    double rate = NAN;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        if (m->fired[i] == 0)
            continue;
        if (isnan(rate))
            rate = find_crossing(f, i, p->crossing);
        else
            p->refused |= !come_together(f, rate, find_crossing(f, i, p->other));
    }
    for (int k = 0; k < directions(f); k++)
        p->crossing[k] /= rate;
}

/* Takes the changes of the states through a round of events. */
static void take_through(mb_flow *f)
{
    mb_instance *m = f->analysis->m;
    mb_passage *p = &f->passage;
    const int n = mb_flow_states(f), w = directions(f);
    memset(p->new_through, 0, (size_t)(n * w) * sizeof(double));
    for (int k = 0; k < w; k++) {
        vary(f, k, 1);
        mb_run(m, &mb_generated_functions[f->jump_change], &m->now, p->jump, p->set);
        vary(f, k, 0);
        for (int i = 0; i < f->numbers; i++)
            p->jump[MB_MODEL->ns + i] = p->set[f->number[i]];
        for (int i = 0; i < n; i++) {
            double *to = p->new_through + i * w;
            if (k >= n)
                to[k] += p->jump[i];
            for (int c = 0; k < n && p->jump[i] != 0 && c < w; c++)
                to[c] += p->jump[i] * p->through[k * w + c];
        }
    }
    memcpy(p->through, p->new_through, (size_t)(n * w) * sizeof(double));
}

/* Logger of the instance: the first message of a round of events notes all of them. */
static void note_happened(mb_instance *m, mb_status status, const char *category, const char *message)
{
    mb_flow *f = m->environment;
    (void)status, (void)category, (void)message;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        if (!mb_has_happened(m, i, f->passage.modes, f->shown_by))
            continue;
        double *to = mb_extend(&f->happened, 2);
        if (!to) {
            f->passage.refused = 1;
            return;
        }
        to[0] = m->now.t;
        to[1] = i;
    }
    memcpy(f->passage.modes, m->now.d, (size_t)MB_MODEL->nd * sizeof(double));
}

/* Called before each round of events changes values. */
static void begin_round(mb_instance *m)
{
    mb_flow *f = m->environment;
    mb_passage *p = &f->passage;
    if (f->columns >= 0 && !p->rounds)
        note_crossing(f);
    if (f->columns >= 0 && (MB_MODEL->contacts > 0 || f->numbers > 0))
        take_through(f);
    p->rounds++;
}

/* Lets modes and states follow the indicators at the present point; returns whether they do. */
static int change_modes(mb_flow *f)
{
    mb_instance *m = f->analysis->m;
    mb_passage *p = &f->passage;
    const double *fired = m->extra[MB_EXTRA_fired];
    const int w = directions(f);
    mb_copy_point(MB_MODEL, &m->now, f->at);
    mb_copy_point(MB_MODEL, &m->accepted, f->at);
    mb_start_conditioning(m, m->other_measure);
    memset(p->through, 0, (size_t)(mb_flow_states(f) * w) * sizeof(double));
    for (int i = 0; i < mb_flow_states(f); i++)
        p->through[i * w + i] = 1;
    p->rounds = p->refused = 0;
    m->fresh = MB_CONFIGURED;
    m->parameters_checked = 1; /* by the host */
    m->extra[MB_EXTRA_fired] = m->fired;
    m->extra[MB_EXTRA_variation] = m->extra[MB_EXTRA_whole_variation] = m->whole_variation;
    memcpy(p->modes, m->now.d, (size_t)MB_MODEL->nd * sizeof(double));
    m->environment = f;
    m->before_update = begin_round;
    m->log = note_happened;
    mb_start_logging(m, 0, MB_LOG_EVENTS);
    mb_status status = mb_iterate_events(m);
    if (!status)
        status = mb_project(m);
    m->before_update = NULL;
    m->log = NULL;
    m->extra[MB_EXTRA_fired] = fired;
    return !status && p->rounds > 0 && !p->refused;
}

/* The saltation matrix */

static double determinant(mb_flow *f)
{
    mb_passage *p = &f->passage;
    int n = mb_flow_states(f), singular = 0;
    double product = 1;
    memcpy(p->factors, p->matrix, (size_t)(n * n) * sizeof(double));
    f->factorize(&n, &n, p->factors, &n, f->pivot, &singular);
    for (int i = 0; i < n; i++)
        product *= f->pivot[i] == i + 1 ? p->factors[i + n * i] : -p->factors[i + n * i];
    return product;
}

/* Adds the change of the event's time to the changes of the states; returns whether it has one. The
 * state goes on with the old rate until the changed event, then with the new one. */
static int add_lateness(mb_flow *f)
{
    mb_passage *p = &f->passage;
    const int n = mb_flow_states(f), w = directions(f);
    double largest = 0;
    int known = 1;
    for (int i = 0; i < n; i++) {
        double *row = p->through + i * w, missed = p->after[i] - row[n];
        for (int k = 0; k < n; k++)
            missed -= row[k] * p->before[k];
        for (int k = 0; k < w; k++) {
            const double added = missed * p->crossing[k];
            known &= !isnan(added);
            if (k < n)
                largest = fmax(largest, fabs(added) * f->nominal[k] / f->nominal[i]);
            row[k] += added;
        }
        memcpy(p->matrix + i * n, row, (size_t)n * sizeof(double));
    }
    return known && largest <= f->steepest;
}

/* Multiplies columns by the saltation matrix. */
static void change_columns(mb_flow *f, double *columns)
{
    const mb_passage *p = &f->passage;
    const int n = mb_flow_states(f), m = f->columns, w = directions(f);
    double *column = f->passage.jump;
    for (int c = 0; c < m; c++) {
        for (int i = 0; i < n; i++) {
            column[i] = c < f->starts ? 0 : p->through[i * w + n + 1 + c - f->starts];
            for (int k = 0; k < n; k++)
                column[i] += p->matrix[i * n + k] * columns[k * m + c];
        }
        for (int i = 0; i < n; i++)
            columns[i * m + c] = column[i];
    }
}

/* The way through */

/* Goes to a time in the last step, to its values in `trial`; returns whether all is well there. */
static int go_to_event(mb_flow *f, double t)
{
    mb_instance *m = f->analysis->m;
    const mb_model *model = MB_MODEL;
    const int dense = t != f->t || f->recorded == MB_RECORD_ALL;
    if (dense && !f->collocation && !mb_explicit_dense(f, 1))
        return 0;
    values_at(f, t, mb_flow_size(f), f->trial);
    if (!mb_flow_rate(f, t, f->trial, f->passage.before) || !mb_flow_meets_requirements(f))
        return 0;
    if (model->nr)
        mb_run(m, &model->conditioning, f->at, m->other_measure, NULL);
    for (int i = 0; i < model->nr; i++)
        if (!(fabs(m->other_measure[i]) > MB_SINGULAR))
            return 0;
    return f->columns < 0 || find_slopes_of_inputs(f);
}

/* Takes the point behind the event for the begin of the next step. */
static int begin_behind(mb_flow *f, double t)
{
    mb_instance *m = f->analysis->m;
    if (f->recorded && t > f->origin->t && !mb_flow_note(f, t))
        return MB_FLOW_NO_MEMORY;
    mb_copy_point(MB_MODEL, f->at, &m->now);
    memcpy(f->y, f->trial, (size_t)mb_flow_size(f) * sizeof(double));
    memcpy(f->y, f->at->s, (size_t)MB_MODEL->ns * sizeof(double));
    for (int i = 0; i < f->numbers; i++)
        f->y[MB_MODEL->ns + i] = f->at->d[f->number[i]];
    f->t = t;
    mb_flow_accept(f);
    return MB_FLOW_JUMPED;
}

/* Passes the event at a time; returns whether all is well behind it. */
static int pass(mb_flow *f, double t)
{
    mb_instance *m = f->analysis->m;
    if (isnan(t) || !go_to_event(f, t) || !change_modes(f))
        return 0;
    mb_run_rates(m, &m->now, f->passage.after, NULL);
    if (!mb_all_finite(f->passage.after, mb_flow_states(f)))
        return 0;
    if (f->columns < 0)
        return 1;
    if (!add_lateness(f))
        return 0;
    f->jumps *= determinant(f);
    change_columns(f, f->trial + mb_flow_states(f));
    return 1;
}

/* Passes the first event in the last step, if there is one. */
int mb_flow_pass_event(mb_flow *f)
{
    const long happened = f->happened.count;
    if (!MB_MODEL->ne)
        return MB_FLOW_STEPPED;
    const double t = first_event(f);
    if (isinf(t))
        return MB_FLOW_STEPPED;
    const int jumps = MB_MODEL->contacts > 0 || f->numbers > 0;
    const int there = f->indicator_change >= 0 && (f->jump_change >= 0 || !jumps);
    if ((f->columns < 0 || there) && pass(f, t))
        return begin_behind(f, t);
    f->happened.count = happened;
    return MB_FLOW_TO_EXAMINE;
}
