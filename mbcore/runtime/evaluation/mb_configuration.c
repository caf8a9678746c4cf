/* The position problem: the configuration x that belongs to (t, s, d, u, p).
 *
 * The same arguments give the same bytes, wherever the iteration started: a converged
 * configuration is rounded to a grid, and one Newton step from there, whose error is the square of
 * the grid's spacing, is the result. Iterations start from the accepted configuration, never from
 * a trial, and go in substeps where that is too far away. Where the configuration can be foreseen,
 * the grid's place next to that is tried first: it is the right one if the step from there does not
 * leave its cell.
 */
#include <math.h>
#include <string.h>

#include "mb_foresight.h"

/* Makes one Newton step, [Schwab2002] (A.98); returns the largest move of a coordinate, infinity if
 * one is not finite. Coordinates that follow count as well: where a rate vanishes, as at a dead
 * centre, an iterated one hardly moves in the first step, however far the others go. */
static double make_step(mb_instance *m, mb_point *at)
{
    const int n = MB_MODEL->nx;
    double *x = at->x, *following = m->next_coordinates, size;
    uint64_t largest = 0;
    mb_run(m, &MB_MODEL->newton, at, following, NULL);
    for (int i = 0; i < n; i++) {
        const uint64_t moved = mb_bits(fabs(following[i] - x[i]) * m->per_scale[i]);
        largest = moved > largest ? moved : largest;
    }
    if (largest >= MB_INFINITE)
        return INFINITY;
    memcpy(x, following, (size_t)n * sizeof(double));
    memcpy(&size, &largest, sizeof size);
    return size;
}

/* Whether a step of this size leaves an error below rounding. */
static int is_last(const mb_instance *m, const double *x, double size)
{
    double reach = 0;
    if (size <= MB_CONVERGED)
        return 1;
    if (size > MB_NEAR)
        return 0;
    for (int i = 0; i < MB_MODEL->nx; i++) {
        const double far = fabs(x[i]) * m->per_scale[i];
        reach = far > reach ? far : reach;
    }
    return size <= MB_CONVERGED + MB_ROUNDING * reach;
}

void mb_place(mb_instance *m, mb_point *at)
{
    mb_place_at(m, at, m->next_coordinates);
    memcpy(at->x, m->next_coordinates, (size_t)MB_MODEL->nx * sizeof(double));
}

/* Iterates from at->x; returns whether that was near the solution and each step was at most a fraction
 * of the previous one (the natural monotonicity test, which also ends the loop). */
int mb_converge(mb_instance *m, mb_point *at)
{
    double limit = MB_FARTHEST;
    if (MB_MODEL->ni == 0)
        return mb_follow(m, at);
    for (;;) {
        const double size = make_step(m, at);
        if (!(size <= limit))
            return 0;
        if (is_last(m, at->x, size))
            break;
        limit = fmin(MB_CONTRACTION * size, MB_NEAR);
    }
    mb_snap(at->x, m->cell, m->scale);
    mb_place(m, at);
    return make_step(m, at) <= MB_NEAR;
}

/* Puts `now` where its configuration is expected; returns whether that is known. */
static inline int foresee(mb_instance *m)
{
    if (MB_MODEL->ni == 0)
        return 1;
    if (m->stage_number > 0 && mb_steps_known(m)) {
        mb_extrapolate(m);
        return 1;
    }
    if (m->now.t != m->accepted.t)
        return 0;
    memcpy(m->now.x, m->accepted.x, (size_t)MB_MODEL->ni * sizeof(double));
    return 1; /* inputs have changed, which move few coordinates */
}

/* Conditioning measures change their sign where a configuration passes a singular one. */
int mb_same_branch(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (!(a[i] * b[i] > 0))
            return 0;
    return 1;
}

static int arrives_on_branch(mb_instance *m, mb_point *at)
{
    if (!mb_converge(m, at))
        return 0;
    mb_run(m, &MB_MODEL->conditioning, at, m->other_measure, NULL);
    return mb_same_branch(m->measure, m->other_measure, MB_MODEL->nr);
}

static void go_part(double *to, const double *from, const double *target, size_t n, double part)
{
    for (size_t i = 0; i < n; i++)
        to[i] = part == 1 ? target[i] : from[i] + part * (target[i] - from[i]);
}

/* Goes from a configuration to a target along t, s, d, u, p, in substeps that stay on its branch;
 * returns whether it arrived. */
int mb_reach_in_substeps(mb_instance *m, const mb_point *from, mb_point *to)
{
    const mb_model *model = MB_MODEL;
    const size_t n = (size_t)(model->ns + model->nd + model->nu), np = (size_t)model->np;
    const size_t x_size = (size_t)model->nx * sizeof(double);
    mb_point *between = &m->between;
    double done = 0, substep = 0.5;

    mb_run(m, &model->conditioning, from, m->measure, NULL);
    memcpy(to->x, from->x, x_size);
    while (done < 1 && !mb_exhausted(m)) {
        const double next = done + substep < 1 ? done + substep : 1;
        between->t = from->t + next * (to->t - from->t);
        go_part(between->values, from->values, to->values, n, next);
        go_part(between->p, from->p, to->p, np, next);
        memcpy(between->x, to->x, x_size);
        if (arrives_on_branch(m, between)) {
            memcpy(to->x, between->x, x_size);
            done = next;
            substep *= 2;
        } else if ((substep /= 2) < MB_SMALLEST_SUBSTEP)
            return 0;
    }
    return done == 1;
}

/* The work that one call may cause is used up; see mb_begin_work(). */
mb_status mb_fail_exhausted(mb_instance *m)
{
    return mb_fail(m,
                   "the way from t = %.9g s to the configuration at t = %.9g s takes more than %.9g "
                   "evaluations; values are far from those before: take smaller steps, check states, "
                   "inputs and parameters, or let solver.most_evaluations be larger",
                   m->accepted.t, m->now.t, mb_solver(m, MB_SOLVER_MOST_EVALUATIONS));
}

const char *mb_constraint_name(const mb_model *model, int constraint)
{
    return model->nc > 0 ? model->constraint[constraint] : "a coordinate that is not finite";
}

/* Calculates the residual; returns the row where it is largest. */
int mb_worst_constraint(mb_instance *m, const mb_point *at)
{
    int worst = 0;
    mb_run(m, &MB_MODEL->newton, at, m->next_coordinates, m->residual);
    for (int i = 1; i < MB_MODEL->nc; i++)
        if (!(fabs(m->residual[i]) <= fabs(m->residual[worst])) && !isnan(m->residual[worst]))
            worst = i;
    return worst;
}

/* Whether `now` and `accepted` differ in nothing that conditioning measures depend on, which
 * saves calculating them: an input that acts on forces alone leaves the configuration as it is to
 * the bit. */
static int measured_as_accepted(const mb_instance *m)
{
    const mb_model *n = MB_MODEL;
    const mb_point *a = &m->now, *b = &m->accepted;
    return n->measures_without_inputs && a->t == b->t &&
           !memcmp(a->x, b->x, (size_t)n->nx * sizeof(double)) &&
           !memcmp(a->s, b->s, (size_t)n->ns * sizeof(double)) &&
           !memcmp(a->d, b->d, (size_t)n->nd * sizeof(double)) &&
           (m->parameters_kept || !memcmp(a->p, b->p, (size_t)n->np * sizeof(double)));
}

/* Whether `now` is on the branch of `accepted`; notes the measures there, if it is a trial point. */
static int on_branch(mb_instance *m)
{
    const int rated = m->rate_wanted && MB_MODEL->measures_with_rates;
    if (rated) /* cheaper than comparing points to see whether the measures are known */
        mb_run_rates(m, &m->now, m->rate, m->measure);
    else if (measured_as_accepted(m))
        memcpy(m->measure, m->conditioning, (size_t)MB_MODEL->nr * sizeof(double));
    else
        mb_run(m, &MB_MODEL->conditioning, &m->now, m->measure, NULL);
    if (m->beside ? !mb_same_branch(m->measure, m->conditioning, MB_MODEL->nr)
                  : !mb_note_on_branch(m, m->measure)) {
        m->fresh &= ~(unsigned)MB_CACHED; /* the search goes on */
        return 0;
    }
    m->fresh |= rated ? MB_MEASURED | MB_RATED : MB_MEASURED;
    return 1;
}

/* The same of a point that has to be, unless it is one of those `beside`. */
static inline int stays_on_branch(mb_instance *m, int beside)
{
    return beside || MB_MODEL->nr == 0 || on_branch(m);
}

/* Where the configuration of `now` was not foreseen, or coordinates that follow have left the branch. */
static MB_SELDOM int search(mb_instance *m)
{
    if (MB_MODEL->ni == 0)
        return mb_reach_in_substeps(m, &m->accepted, &m->now);
    memcpy(m->now.x, m->accepted.x, (size_t)MB_MODEL->nx * sizeof(double));
    const int found = (mb_converge(m, &m->now) && stays_on_branch(m, m->beside == MB_STAGE)) ||
                      mb_reach_in_substeps(m, &m->accepted, &m->now);
    if (found)
        mb_note_stage(m);
    return found;
}

/* Reaches the configuration of `now` from the accepted one; returns whether there is one. A near
 * solution may belong to another branch if the target is far away, so the way there decides. */
int mb_reach(mb_instance *m)
{
    if (!foresee(m) || !mb_settle(m) || !stays_on_branch(m, m->beside))
        return search(m);
    mb_note_stage(m);
    return 1;
}

/* Fails with the condition that is still violated where the search for `now` has ended. */
mb_status mb_fail_unreached(mb_instance *m)
{
    if (mb_has_laws()) {
        const size_t x_size = (size_t)MB_MODEL->nx * sizeof(double);
        memcpy(m->between.x, m->now.x, x_size);
        if (mb_converge(m, &m->now) && mb_fail_if_unsolvable(m) != MB_OK)
            return MB_DISCARD;
        memcpy(m->now.x, m->between.x, x_size); /* the residual counts from where the way ended */
    }
    const int worst = mb_worst_constraint(m, &m->now);
    return mb_fail(m,
                   "no configuration at t = %.9g s continues the one at t = %.9g s: %s "
                   "stays violated, from there by %.3g; the values lead past a singular "
                   "configuration or out of reach: take smaller steps, or check states, "
                   "inputs and parameters",
                   m->now.t, m->accepted.t, mb_constraint_name(MB_MODEL, worst),
                   MB_MODEL->nc > 0 ? m->residual[worst] : NAN);
}
