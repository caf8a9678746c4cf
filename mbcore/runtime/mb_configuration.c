/* The position problem: the configuration x that belongs to (t, s, d, u, p).
 *
 * The same arguments give the same bytes, wherever the iteration started: a converged
 * configuration is rounded to a grid, and one Newton step from there, whose error is the square of
 * the grid's spacing, is the result. Iterations start from the accepted configuration, never from
 * a trial, and go in substeps where that is too far away.
 */
#include <math.h>
#include <string.h>

#include "mb_instance.h"

/* All sizes are relative to the coordinates' scales: 1 for angles, the size of the mechanism for
 * places.
 *
 * Longest second step of an iteration that began near its solution. The first may have any length,
 * for a vehicle travels far without turning; the second is how much the constraints bend on the
 * way, 0.05 for a rotation by 0.6 rad. */
static const double NEAR = 0.05;
static const double FARTHEST = 1e12; /* first step; beyond, the Jacobian is as good as singular */
/* The error after a step of this size is its square times a curvature: rounding. */
static const double CONVERGED = 1e-7;
static const double ROUNDING = 1e-13; /* of the largest coordinate, in a step */
static const double SMALLEST_SUBSTEP = 1.0 / 1024;
/* Adding and subtracting 1.5 x 2^26 scales rounds to multiples of 2^-26, 1.5e-8: coarse against
 * the error of a converged configuration, so that starts on either side of a grid point's boundary
 * are rare, and fine enough for one step to restore full accuracy. */
static const double SNAP = 1.5 * 67108864.0;

/* Makes one Newton step; returns the largest move, infinity if one is not finite. */
static double make_step(mb_instance *m, mb_point *at)
{
    const int n = m->model->nx;
    double *x = at->x, *step = m->newton_step, largest = 0;
    mb_run(m, &m->model->newton, at, step, NULL);
    if (!mb_all_finite(step, n))
        return INFINITY;
    for (int i = 0; i < n; i++) {
        const double moved = fabs(step[i]) * m->per_scale[i];
        largest = moved > largest ? moved : largest;
        x[i] += step[i];
    }
    return largest;
}

/* Whether a step of this size leaves an error below rounding. */
static int is_last(const mb_instance *m, const double *x, double size)
{
    double reach = 0;
    if (size <= CONVERGED)
        return 1;
    if (size > NEAR)
        return 0;
    for (int i = 0; i < m->model->nx; i++)
        reach = fmax(reach, fabs(x[i]) * m->per_scale[i]);
    return size <= CONVERGED + ROUNDING * reach;
}

static void snap(double *x, const double *scale, int n)
{
    for (int i = 0; i < n; i++) {
        const double far = SNAP * scale[i];
        x[i] = (x[i] + far) - far;
    }
}

/* Iterates from at->x; returns whether that was near the solution and each step was at most half of
 * the one before (the natural monotonicity test, which also ends the loop). */
int mb_converge(mb_instance *m, mb_point *at)
{
    double limit = FARTHEST;
    for (;;) {
        const double size = make_step(m, at);
        if (!(size <= limit))
            return 0;
        if (is_last(m, at->x, size))
            break;
        limit = fmin(size / 2, NEAR);
    }
    snap(at->x, m->scale, m->model->nx);
    return make_step(m, at) <= NEAR;
}

/* Regularities change their sign where a configuration passes a singular one. */
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
    mb_run(m, &m->model->regularity, at, m->other_sign, NULL);
    return mb_same_branch(m->sign, m->other_sign, m->model->nr);
}

/* Goes from a configuration to a target along t, s, d, u, p, in substeps that stay on its branch;
 * returns whether it arrived. */
int mb_travel(mb_instance *m, const mb_point *from, mb_point *to)
{
    const mb_model *model = m->model;
    const size_t n = mb_point_size(model) - (size_t)model->nx;
    const size_t x_size = (size_t)model->nx * sizeof(double);
    mb_point *between = &m->between;
    double done = 0, substep = 0.5;

    mb_run(m, &model->regularity, from, m->sign, NULL);
    memcpy(to->x, from->x, x_size);
    while (done < 1) {
        const double next = done + substep < 1 ? done + substep : 1;
        between->t = from->t + next * (to->t - from->t);
        for (size_t i = 0; i < n; i++)
            between->values[i] = from->values[i] + next * (to->values[i] - from->values[i]);
        if (next == 1)
            memcpy(between->values, to->values, n * sizeof(double));
        memcpy(between->x, to->x, x_size);
        if (arrives_on_branch(m, between)) {
            memcpy(to->x, between->x, x_size);
            done = next;
            substep *= 2;
        } else if ((substep /= 2) < SMALLEST_SUBSTEP)
            return 0;
    }
    return 1;
}

/* Calculates the residual; returns the row where it is largest. */
int mb_worst_constraint(mb_instance *m, const mb_point *at)
{
    int worst = 0;
    mb_run(m, &m->model->newton, at, m->newton_step, m->residual);
    for (int i = 1; i < m->model->nx; i++)
        if (!(fabs(m->residual[i]) <= fabs(m->residual[worst])))
            worst = i;
    return worst;
}

static int on_branch(mb_instance *m)
{
    if (m->in_stage || m->model->nr == 0)
        return 1;
    mb_run(m, &m->model->regularity, &m->now, m->sign, NULL);
    if (!mb_same_branch(m->sign, m->regularity, m->model->nr))
        return 0;
    m->fresh |= MB_SIGNED;
    return 1;
}

/* The configuration of `now`, reached from the accepted one. A near solution may belong to another
 * branch if the target is far away, so the way there decides. */
mb_status mb_follow(mb_instance *m)
{
    const mb_model *model = m->model;
    if (model->nx > 0) {
        memcpy(m->now.x, m->accepted.x, (size_t)model->nx * sizeof(double));
        const int arrived = (mb_converge(m, &m->now) && on_branch(m)) ||
                            mb_travel(m, &m->accepted, &m->now);
        if (!arrived) {
            memcpy(m->now.x, m->accepted.x, (size_t)model->nx * sizeof(double));
            const mb_status status = mb_check(m); /* a violated requirement says more */
            m->fresh = 0;
            if (status)
                return status;
            const int worst = mb_worst_constraint(m, &m->now);
            return mb_fail(m,
                           "no configuration at t = %.9g s continues the one at t = %.9g s: %s "
                           "stays violated, from there by %.3g; the values lead past a singular "
                           "configuration or out of reach: take smaller steps, or check states, "
                           "inputs and parameters",
                           m->now.t, m->accepted.t, model->constraint[worst], m->residual[worst]);
        }
    }
    m->fresh |= MB_CONFIGURED;
    return MB_OK;
}
