/* Initial values: assembly of the configuration, modes of the events.
 *
 * The result depends on the start values only: each time one of them has changed, everything
 * begins again from the model's own first guess.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_evaluation.h"
#include "mb_tolerances.h"

static double norm(const double *values, int n)
{
    double square = 0;
    for (int i = 0; i < n; i++)
        square += values[i] * values[i];
    return sqrt(square);
}

static double scaled_norm(const mb_instance *m, const double *values)
{
    double square = 0;
    for (int i = 0; i < MB_MODEL->ni; i++) {
        const double value = values[i] * m->per_scale[i];
        square += value * value;
    }
    return sqrt(square);
}

/* Newton's method from at->x, damped so that the residual falls. */
static int assemble_from_guess(mb_instance *m, mb_point *at)
{
    const mb_model *model = MB_MODEL;
    const int n = model->nx;
    double *start = m->trial_start;

    mb_place(m, at);
    for (int iteration = 0; iteration < MB_ASSEMBLY_ITERATIONS && !mb_exhausted(m);
         iteration++) {
        mb_run(m, &model->newton, at, m->next_coordinates, m->residual);
        const double violation = norm(m->residual, model->nc);
        for (int i = 0; i < n; i++)
            m->trial_step[i] = m->next_coordinates[i] - at->x[i];
        const double step = scaled_norm(m, m->trial_step);
        if (!isfinite(violation) || !isfinite(step))
            return 0;
        if (step <= MB_ASSEMBLED * (1 + scaled_norm(m, at->x)))
            return mb_converge(m, at);
        memcpy(start, at->x, (size_t)n * sizeof(double));
        for (double part = 1; part >= MB_SMALLEST_PART; part /= 2) {
            for (int i = 0; i < n; i++)
                at->x[i] = start[i] + part * m->trial_step[i];
            mb_place(m, at);
            mb_run(m, &model->newton, at, m->next_coordinates, m->residual);
            if (norm(m->residual, model->nc) <= violation)
                break;
        }
    }
    return 0;
}

/* Sizes rounded to powers of two, so that dividing by them is exact. */
static void round_scales(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->nx; i++) {
        const double size = m->scale[i];
        int exponent = 1;
        if (size > 0 && isfinite(size))
            frexp(size, &exponent);
        m->scale[i] = ldexp(1, exponent - 1);
        m->per_scale[i] = ldexp(1, 1 - exponent);
    }
}

/* Finds a configuration from the model's first guess, and the coordinates' sizes with it. */
int mb_assemble(mb_instance *m, mb_point *at)
{
    mb_run(m, &MB_MODEL->start, at, at->x, m->scale);
    round_scales(m);
    return assemble_from_guess(m, at);
}

/* The model as its author wrote it, except for the choices that enumerations make. */
static void default_values(const mb_instance *m, mb_point *point)
{
    const mb_model *model = MB_MODEL;
    mb_copy_point(model, point, &m->now);
    point->t = 0;
    for (int i = 0; i < model->variables; i++) {
        const mb_variable *v = &model->variable[i];
        const double value = v->start - v->shift;
        if (v->kind == MB_PARAMETER && v->type == MB_REAL)
            point->p[v->index] = value;
        else if (v->kind == MB_INPUT)
            point->u[v->index] = value;
        else if (v->kind == MB_STATE)
            point->s[v->index] = value;
    }
}

static int on_the_branch_of(mb_instance *m, const mb_point *other)
{
    mb_run(m, &MB_MODEL->conditioning, other, m->measure, NULL);
    mb_run(m, &MB_MODEL->conditioning, &m->now, m->other_measure, NULL);
    return mb_same_branch(m->measure, m->other_measure, MB_MODEL->nr);
}

/* The block that is most nearly singular in `now`, or -1. */
static int singular_block(mb_instance *m)
{
    int smallest = -1;
    mb_run(m, &MB_MODEL->conditioning, &m->now, m->other_measure, NULL);
    for (int i = 0; i < MB_MODEL->nr; i++) {
        const double size = fabs(m->other_measure[i]);
        if (size < (smallest < 0 ? MB_BLAMED : fabs(m->other_measure[smallest])))
            smallest = i;
    }
    return smallest;
}

/* Starts at the first guess, but stays on the branch of the default values where that can be reached.
 * */
static mb_status find_configuration(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    if (model->nx == 0)
        return MB_OK;
    default_values(m, &m->accepted);
    const int known = mb_assemble(m, &m->accepted);
    int found = mb_assemble(m, &m->now);
    if (known && !(found && on_the_branch_of(m, &m->accepted))) {
        if (mb_reach_in_substeps(m, &m->accepted, &m->now))
            return MB_OK;
        found = mb_assemble(m, &m->now);
    }
    if (found)
        return MB_OK;
    if (mb_exhausted(m))
        return mb_fail_exhausted(m);
    const int worst = mb_worst_constraint(m, &m->now), singular = singular_block(m);
    if (model->nc > 0 && fabs(m->residual[worst]) < MB_ASSEMBLED && singular >= 0)
        return mb_fail(m,
                       "the start at t = %.9g s is a singular configuration in %s (conditioning %.2g "
                       "of 1); start beside it, or choose other degrees of freedom",
                       m->now.t, model->measure_name[singular], fabs(m->other_measure[singular]));
    return mb_fail(m,
                   "the configuration cannot be assembled at t = %.9g s: %s stays violated by "
                   "%.3g; check lengths, start values of the states and inputs",
                   m->now.t, mb_constraint_name(model, worst),
                   model->nc > 0 ? m->residual[worst] : NAN);
}

static void start_discretes(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    for (int i = 0; i < model->variables; i++)
        if (model->variable[i].kind == MB_DISCRETE)
            m->now.d[model->variable[i].index] = model->variable[i].start;
}

/* Restores the start values that were given, where events at the start have changed them: a slip
 * that is held from the start is made zero. Without this, values that are set later would be mixed
 * with those. */
void mb_restore_start(mb_instance *m)
{
    if (!m->start_changed || MB_MODEL->contacts <= 0)
        return;
    memcpy(m->now.s, m->start_state, (size_t)MB_MODEL->ns * sizeof(double));
    m->start_changed = 0;
    m->fresh = 0;
}

static mb_status start_events(mb_instance *m)
{
    const size_t size = MB_MODEL->contacts > 0 ? (size_t)MB_MODEL->ns * sizeof(double) : 0;
    memcpy(m->start_state, m->now.s, size);
    const mb_status status = mb_start_events(m);
    m->start_changed = memcmp(m->start_state, m->now.s, size) != 0;
    return status;
}

/* How many states events at the start have changed; the first of them is returned in `first`. */
static int changed_states(const mb_instance *m, int *first)
{
    int count = 0;
    for (int i = MB_MODEL->ns - 1; i >= 0; i--) {
        const double given = m->start_state[i], now = m->now.s[i];
        const double size = fmax(fmax(fabs(given), fabs(now)), m->nominal[i]);
        if (fabs(now - given) > MB_START_CHANGED * size) {
            *first = i;
            count++;
        }
    }
    return count;
}

/* Warns of start values that do not meet a contact that is closed, or a slip that is held. */
void mb_warn_changed_start(mb_instance *m)
{
    int first = 0;
    const int count = m->start_changed && MB_MODEL->contacts > 0 ? changed_states(m, &first) : 0;
    if (count == 0)
        return;
    char more[32] = "";
    if (count > 1)
        snprintf(more, sizeof more, ", and %d more", count - 1);
    mb_warn(m,
            "the start is changed by closed contacts or held slips: %s from %.9g to %.9g%s; give "
            "start values that satisfy them",
            mb_name_of(MB_MODEL, MB_STATE, first), m->start_state[first], m->now.s[first], more);
}

static mb_status initialize(mb_instance *m)
{
    mb_status status;
    mb_restore_start(m);
    start_discretes(m);
    m->fresh = 0;
    if ((status = mb_check_parameters(m)) || (status = find_configuration(m)))
        return status;
    m->fresh = MB_CONFIGURED;
    mb_copy_point(MB_MODEL, &m->accepted, &m->now);
    mb_run(m, &MB_MODEL->conditioning, &m->now, m->measure, NULL);
    mb_start_conditioning(m, m->measure); /* the branch from here on */
    if ((status = mb_check_start(m)) || (status = start_events(m)) || (status = mb_accept(m))) {
        m->fresh = 0; /* so that the next call meets the same failure */
        mb_forget_conditioning(m);
    }
    return status;
}

/* Until initialization ends, what depends on start values that have changed. */
mb_status mb_initialize(mb_instance *m)
{
    if (m->initialized || (m->fresh & MB_CONFIGURED))
        return MB_OK;
    return initialize(m);
}
