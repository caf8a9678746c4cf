/* By how much an importer's solver has missed places, in Model Exchange.
 *
 * Solvers of variable order begin anew after each event with steps of order one, whose speeds are nearly
 * exact and whose places are wrong by a h^2/2. Bounces lower than that would be lost in it. But places
 * follow from speeds whatever the forces are, so the error is seen: over a time h in which the rate of a
 * coordinate q goes from v0 to v1, and its acceleration a stays in a range of width D,
 *
 *     q1 - q0 = h/2 (v0 + v1) + h^2 integral of (1/2 - u) a du, the last term at most h^2 D/8.
 *
 * What is left beyond that is an error of the solver. The range is that of all accelerations that the
 * importer has read meanwhile, for a solver reads what it resolves.
 *
 * Contacts are judged where their parts were without the error. An impact leads them back to each other,
 * so a contact's errors begin anew there. Forces change more over longer times, so errors are sought from
 * the end of Event Mode to the first completed step that would have shown one.
 */
#include <math.h>
#include <string.h>

#include "mb_evaluate.h"

static const double OF_RANGE = 0.25;   /* h^2 D, twice the largest, for the range is sampled */
static const double OF_PLACES = 4.5e-16; /* rounding, in parts of what is added up */
static const double ORDER_ONE = 0.25;  /* h^2 |a|, half the error of a step of order one */
static const double OF_SPEEDS = 0.1;   /* what a solver may miss of them, beyond h D */
static const double DISPLACED = 1e-6;  /* of a state's size; differences for Jacobians are smaller */

enum { ERRONEOUS = 1, EXACT = 2 };

static double *place_of(mb_point *at, int dof) { return at->s + MB_MODEL->nf + dof; }

/* Whether the importer itself has moved states since the last point was accepted, as observers and
 * restarts do. It reads from the states that it has set, before it steps on from them. */
static void note_displacement(mb_instance *m)
{
    if (!m->solver_watched || m->now.t != m->accepted.t)
        return;
    m->displaced = 0;
    for (int i = 0; i < MB_MODEL->ns; i++) {
        const double was = m->accepted.s[i];
        if (fabs(m->now.s[i] - was) > DISPLACED * (fabs(was) + m->nominal[i]))
            m->displaced = 1;
    }
}

/* The rates of the present point have been read. */
void mb_note_accelerations(mb_instance *m)
{
    note_displacement(m);
    mb_follow_path(m);
    for (int i = 0; m->solver_watched && i < MB_MODEL->nm; i++) {
        m->least_rate[i] = fmin(m->least_rate[i], m->rate[i]);
        m->largest_rate[i] = fmax(m->largest_rate[i], m->rate[i]);
    }
}

/* Whether speeds follow from accelerations, as a solver's do. If not, the importer has set them, and its
 * places are no errors. */
static int is_integrated(double v0, double v1, double h, double low, double high)
{
    const double missed = fabs(v1 - v0 - h / 2 * (low + high));
    return missed <= h * (high - low) + OF_SPEEDS * (fabs(v0) + fabs(v1));
}

/* The error of a coordinate from the accepted point to the present one, whose rates are known. */
static double error_of(mb_instance *m, int dof, int *found)
{
    const double h = m->now.t - m->accepted.t, low = m->least_rate[dof], high = m->largest_rate[dof];
    const double v0 = m->accepted.s[dof], v1 = m->now.s[dof];
    const double q0 = *place_of(&m->accepted, dof), q1 = *place_of(&m->now, dof);
    const double left = q1 - q0 - h / 2 * (v0 + v1);
    const double sizes = fabs(q0) + fabs(q1) + (fabs(v0) + fabs(v1)) * fabs(m->now.t);
    const double explained = OF_RANGE * h * h * (high - low) + OF_PLACES * sizes;
    const double error = is_integrated(v0, v1, h, low, high) ? fabs(left) - explained : 0;
    if (error > 0)
        *found |= ERRONEOUS;
    else if (ORDER_ONE * h * h * fmax(fabs(low), fabs(high)) > explained)
        *found |= EXACT;
    return error > 0 ? copysign(error, left) : 0;
}

/* Whether the rates are known; where they cannot be calculated the importer is told when it reads them. */
static int has_rates(mb_instance *m)
{
    const mb_status status = mb_evaluate(m, MB_DERIVED);
    if (status)
        m->message[0] = '\0';
    return !status;
}

/* The errors of all coordinates. */
static int find_errors(mb_instance *m)
{
    int found = 0;
    note_displacement(m);
    if (!m->solver_watched || m->displaced || !(m->now.t > m->accepted.t) || !has_rates(m))
        return 0;
    mb_note_accelerations(m);
    for (int i = 0; i < MB_MODEL->nm; i++)
        m->place_error[i] = error_of(m, i, &found);
    return found;
}

/* The indicators at the places without the errors; returns whether they could be calculated. */
static int indicate_corrected(mb_instance *m)
{
    const size_t size = (size_t)MB_MODEL->ns * sizeof(double);
    memcpy(m->new_state, m->now.s, size);
    for (int i = 0; i < MB_MODEL->nm; i++)
        *place_of(&m->now, i) -= m->place_error[i];
    m->fresh = 0;
    const int known = !mb_indicate(m);
    memcpy(m->now.s, m->new_state, size);
    m->fresh = 0;
    return known;
}

/* The indicators at the present point, as if the importer's solver had made no error since the accepted
 * one. They are no longer those of the present point. */
mb_status mb_indicate_without_errors(mb_instance *m)
{
    if (!(find_errors(m) & ERRONEOUS) || !indicate_corrected(m))
        return mb_indicate(m);
    return MB_OK;
}

static void watch_from_here(mb_instance *m)
{
    m->displaced = 0;
    m->solver_watched = has_rates(m);
    if (!m->solver_watched)
        return;
    memcpy(m->least_rate, m->rate, (size_t)MB_MODEL->nm * sizeof(double));
    memcpy(m->largest_rate, m->rate, (size_t)MB_MODEL->nm * sizeof(double));
}

/* The importer's solver begins anew. */
void mb_watch_solver(mb_instance *m)
{
    m->solver_watched = 0;
    for (int i = 0; i < MB_MODEL->ne && MB_MODEL->nm > 0; i++)
        if (MB_MODEL->kind[i] == MB_IMPACT && m->interface == MB_MODEL_EXCHANGE) {
            watch_from_here(m);
            if (m->solver_watched)
                mb_begin_path(m);
            return;
        }
}

/* What the errors of contacts are once the impact of one has led its parts back to each other, which has
 * moved those of others: by the part of the way that was its error they are nearer to where they would be
 * without errors. `indicator` is from before; one of a contact that is not open is -1. */
void mb_lead_back(mb_instance *m, int impact, const double *indicator)
{
    const double error = m->event_memory[impact].error;
    const double part = error != 0 ? fmin(fmax(-error / indicator[impact], 0), 1) : 0;
    m->event_memory[impact].error = m->event_memory[impact].lost = 0;
    for (int i = 0; i < MB_MODEL->ne; i++) {
        mb_event_memory *of_other = &m->event_memory[i];
        const double nearer = part * (indicator[i] - m->indicator[i]);
        if (!(indicator[i] != -1 && m->indicator[i] != -1)) {
            of_other->error = of_other->lost = 0;
        } else if (i != impact && MB_MODEL->kind[i] == MB_IMPACT) {
            of_other->error += nearer;
            of_other->lost += nearer;
        }
    }
}

/* The present point will be accepted: notes the errors of contacts since the last one was. */
mb_status mb_note_solver_errors(mb_instance *m)
{
    const int found = find_errors(m);
    if (!m->solver_watched || !(m->now.t > m->accepted.t))
        return MB_OK;
    if (found & ERRONEOUS) {
        mb_status status = mb_indicate(m);
        if (status)
            return status;
        memcpy(m->contradictions, m->indicator, (size_t)MB_MODEL->ne * sizeof(double));
        const int known = indicate_corrected(m);
        for (int i = 0; known && i < MB_MODEL->ne; i++)
            if (MB_MODEL->kind[i] == MB_IMPACT)
                m->event_memory[i].error += m->indicator[i] - m->contradictions[i];
    }
    if (found == EXACT)
        m->solver_watched = 0;
    else
        watch_from_here(m);
    return MB_OK;
}

/* Whether an impact may give back energy. */
static int has_lost_places(const mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->ne; i++)
        if (m->event_memory[i].error < 0)
            return 1;
    return 0;
}

/* The importer's solver ends here, as Event Mode begins. */
mb_status mb_end_solver_steps(mb_instance *m)
{
    const mb_status status = mb_note_solver_errors(m);
    m->solver_watched = 0;
    if (!status && m->path_watched && has_lost_places(m) && has_rates(m))
        mb_follow_path(m);
    return status;
}

/* An impact is about to change the states: notes what the solver has gained on the way here. */
mb_status mb_note_solver_gain(mb_instance *m)
{
    if (!has_lost_places(m) || !mb_take_gain(m, m->place_error))
        return MB_OK;
    memcpy(m->contradictions, m->indicator, (size_t)MB_MODEL->ne * sizeof(double));
    const int known = indicate_corrected(m);
    for (int i = 0; known && i < MB_MODEL->ne; i++)
        if (MB_MODEL->kind[i] == MB_IMPACT)
            m->event_memory[i].lost += m->indicator[i] - m->contradictions[i];
    return mb_indicate(m);
}
