/* Where a step reaches a singular configuration, sought like an event.
 *
 * Degrees of freedom that stop describing the motion turn back while the mechanism moves on: a
 * pendulum's height at its lowest point. The configuration stays on its branch and no sign changes;
 * the measure's size has a minimum, which is sought on the interpolant.
 */
#include <math.h>
#include <string.h>

#include "mb_integrator.h"
#include "mb_tolerances.h"

enum { SECTIONS = 24 };

static const double GOLDEN = 0.3819660112501051;

/* Size of a block's measure at a place x in [0, 1] of a step of length h; 0 where there is no
 * configuration on the branch. */
static double size_at(mb_instance *m, int block, double h, double x)
{
    if (mb_go_between(m, h, x))
        return 0;
    mb_run(m, &MB_MODEL->conditioning, &m->now, m->other_measure, NULL);
    return m->other_measure[block] * m->conditioning[block] > 0 ? fabs(m->other_measure[block]) : 0;
}

/* The smallest size between two places, by golden sections. */
static double least_between(mb_instance *m, int block, double h, double low, double high,
                            double *place)
{
    double a = low + GOLDEN * (high - low), b = high - GOLDEN * (high - low);
    double at_a = size_at(m, block, h, a), at_b = size_at(m, block, h, b);
    for (int k = 0; k < SECTIONS; k++)
        if (at_a < at_b) {
            high = b, b = a, at_b = at_a;
            at_a = size_at(m, block, h, a = low + GOLDEN * (high - low));
        } else {
            low = a, a = b, at_a = at_b;
            at_b = size_at(m, block, h, b = high - GOLDEN * (high - low));
        }
    *place = at_a < at_b ? a : b;
    return fmin(at_a, at_b);
}

/* The first place up to a given one at which a size is below a floor, by bisection. */
static double first_below(mb_instance *m, int block, double h, double floor, double high)
{
    double low = 0;
    for (int k = 0; k < MB_LIMIT_BISECTIONS; k++) {
        const double middle = (low + high) / 2;
        if (size_at(m, block, h, middle) >= floor)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Whether a block becomes singular in a step; gives the place and the size there. */
static int becomes_singular(mb_instance *m, int block, double h, double *place, double *least)
{
    double size[MB_PARTS_OF_STEP + 1];
    int k = 0;
    for (int i = 0; i <= MB_PARTS_OF_STEP; i++) {
        size[i] = size_at(m, block, h, (double)i / MB_PARTS_OF_STEP);
        k = size[i] < size[k] ? i : k;
    }
    *place = (double)k / MB_PARTS_OF_STEP;
    *least = size[k];
    if (size[k] > 0) {
        double there;
        const double low = fmax(k - 1, 0) / MB_PARTS_OF_STEP;
        const double high = fmin(k + 1, MB_PARTS_OF_STEP) / MB_PARTS_OF_STEP;
        const double found = least_between(m, block, h, low, high, &there);
        if (found < *least)
            *least = found, *place = there;
    }
    const double uncertainty = fmin(MB_DIP * sqrt(mb_relative_tolerance(m)), MB_MOST_UNCERTAIN);
    const int turns = *least < MB_TURNS * fmin(size[0], size[MB_PARTS_OF_STEP]);
    const int deep = *least < MB_DEEP * fmax(size[0], size[MB_PARTS_OF_STEP]) ||
                     *least < uncertainty * m->largest[block];
    if (block < MB_MODEL->limits) { /* states do not turn back there: its sign is to be trusted */
        const double floor = MB_NEARLY_SINGULAR * m->largest[block];
        if (*least >= floor)
            return 0;
        *place = first_below(m, block, h, floor, *place);
        return 1;
    }
    return (turns && deep) || !(*least >= MB_NEARLY_SINGULAR * m->largest[block]);
}

/* Refuses a step of length h, at whose end `now` is, that passes a singular configuration, and gives
 * the first place in [0, 1] where. The rate at its beginning is in stage[0]. A limit says more than
 * a block that is singular where it is reached. */
mb_status mb_check_singularity(mb_instance *m, double h, double *place)
{
    int suspect = -1;
    for (int i = 0; i < MB_MODEL->nr && suspect < 0; i++)
        suspect = mb_may_be_singular(m, i, h) ? i : -1;
    if (suspect < 0)
        return MB_OK;
    const double end = m->now.t;
    mb_status status = mb_save_end(m);
    if (status)
        return status;
    *place = 1;
    const int limits = MB_MODEL->limits;
    int found = limits;
    for (int i = suspect; i < MB_MODEL->nr && (i < limits || found >= limits); i++) {
        double there, least;
        if (!mb_may_be_singular(m, i, h) || !becomes_singular(m, i, h, &there, &least) ||
            (status && there > *place))
            continue;
        status = mb_fail_singular(m, i, m->accepted.t + there * h, least);
        *place = there;
        found = i;
    }
    if (status && mb_exhausted(m)) /* the search itself ended for lack of work */
        status = mb_fail_exhausted(m);
    mb_restore_end(m, end);
    return status;
}

/* Finds the trends of measures by a small part of the next step, at an accepted point whose rate
 * is in stage[0] and before which there was no step: at the start and after an event. */
static mb_status probe_trend(mb_instance *m, double h)
{
    const mb_model *model = MB_MODEL;
    for (int i = 0; i < model->ns; i++)
        m->now.s[i] += MB_PROBE * h * m->stage[0][i];
    mb_go_to(m, m->now.t + MB_PROBE * h);
    m->beside = MB_ASIDE;
    const mb_status status = mb_configure(m);
    m->beside = 0;
    mb_run(m, &model->conditioning, &m->now, m->other_measure, NULL);
    for (int i = 0; i < model->nr && !status; i++)
        m->trend[i] = (m->other_measure[i] - m->conditioning[i]) / (MB_PROBE * h);
    mb_copy_own(m, &m->now, &m->accepted);
    m->fresh = MB_CONFIGURED;
    return status;
}

/* Whether a step of length h would reach a singular configuration, by the trends of measures: methods
 * without error test have nothing else that would stop them there. */
mb_status mb_predict_singularity(mb_instance *m, double h, double *place)
{
    const int unknown = MB_MODEL->nr > 0 && isnan(m->trend[0]);
    mb_status status = unknown ? probe_trend(m, h) : MB_OK;
    if (!status)
        status = mb_check_trend(m, h, place);
    if (unknown)
        mb_forget_trend(m);
    return status;
}

/* As mb_check_singularity, in Model Exchange, where the rate at the beginning is not known any
 * more. */
mb_status mb_check_completed_step(mb_instance *m)
{
    const double h = m->now.t - m->accepted.t;
    int suspect = 0;
    if (!(m->fresh & MB_MEASURED) && MB_MODEL->nr > 0)
        mb_run(m, &MB_MODEL->conditioning, &m->now, m->measure, NULL);
    mb_note_trial(m, m->measure);
    for (int i = 0; i < MB_MODEL->nr; i++)
        suspect |= mb_may_be_singular(m, i, h);
    if (!(h > 0) || !suspect)
        return MB_OK;
    mb_copy_point(MB_MODEL, &m->saved_now, &m->now);
    mb_copy_point(MB_MODEL, &m->now, &m->accepted);
    m->fresh = MB_CONFIGURED;
    mb_status status = mb_derive(m, m->stage[0]);
    mb_copy_point(MB_MODEL, &m->now, &m->saved_now);
    m->fresh = MB_CONFIGURED;
    double place;
    return status ? status : mb_check_singularity(m, h, &place);
}
