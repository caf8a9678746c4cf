/* Conditioning of the Jacobians along the motion: a measure of each block, its determinant up to a
 * factor, which is zero where the block is singular and changes its sign across such a configuration.
 *
 * A measure has no scale of its own, so it is compared with the largest it has had at an accepted
 * point. Between accepted points, the smallest and largest sizes show whether a step may have
 * crossed a singular configuration. The first measures belong to limits, such as the side of the
 * floor that a wheel is on, and are treated alike.
 */
#include <math.h>
#include <string.h>

#include "mb_evaluation.h"
#include "mb_tolerances.h"

static void take_measures(mb_instance *m, const double *measure)
{
    const double h = m->now.t - m->accepted.t;
    for (int i = 0; i < MB_MODEL->nr; i++) {
        const double size = fabs(measure[i]);
        if (h > 0)
            m->trend[i] = (measure[i] - m->conditioning[i]) / h;
        m->conditioning[i] = measure[i];
        m->lowest[i] = m->highest[i] = size;
        if (size > m->largest[i])
            m->largest[i] = size;
    }
}

/* There is no first point, or none that can be taken: its measures may not be finite. */
void mb_forget_conditioning(mb_instance *m)
{
    memset(m->conditioning, 0, (size_t)(MB_CONDITIONING_ARRAYS * MB_MODEL->nr) * sizeof(double));
    mb_forget_power(m);
}

/* Starts with the measures of a first point. */
void mb_start_conditioning(mb_instance *m, const double *measure)
{
    mb_forget_conditioning(m);
    mb_forget_trend(m);
    take_measures(m, measure);
}

/* Whether a measure belongs to a limit that must not be reached: these are the first. */
static int is_limit(int block) { return block >= 0 && block < MB_MODEL->limits; }

/* Fails at a limit that is reached `when` ("at" or "by") a time; `more` is a remedy besides its
 * own. */
static mb_status fail_limit(mb_instance *m, int block, const char *when, double t, const char *more)
{
    const mb_requirement *r = &MB_MODEL->requirement[MB_MODEL->limit[block]];
    return mb_fail(m, "%s is reached %s t = %.9g s: %s%s", r->name, when, t, r->message, more);
}

/* Whether a measure is the determinant of laws of constraint forces, by how its name begins. */
static int is_of_laws(int block)
{
    return strncmp(MB_MODEL->measure_name[block], MB_LAWS, sizeof MB_LAWS - 1) == 0;
}

static mb_status fail_laws(mb_instance *m, int block, double t)
{
    return mb_fail(m, "at t = %.9g s %s " MB_UNSOLVABLE, t, MB_MODEL->measure_name[block]);
}

int mb_has_laws(void)
{
    for (int i = MB_MODEL->limits; i < MB_MODEL->nr; i++)
        if (is_of_laws(i))
            return 1;
    return 0;
}

/* Fails if laws of constraint forces have no solution at `now`. */
mb_status mb_fail_if_unsolvable(mb_instance *m)
{
    mb_run(m, &MB_MODEL->conditioning, &m->now, m->other_measure, NULL);
    for (int i = MB_MODEL->limits; i < MB_MODEL->nr; i++)
        if (is_of_laws(i) && !(m->other_measure[i] > MB_SINGULAR))
            return fail_laws(m, i, m->now.t);
    return MB_OK;
}

/* Fails because of a measure that no accepted point may have. */
static mb_status refuse(mb_instance *m, int block, double measure)
{
    if (is_limit(block))
        return fail_limit(m, block, "by", m->now.t, "");
    if (is_of_laws(block))
        return fail_laws(m, block, m->now.t);
    if (!(fabs(measure) >= MB_SINGULAR))
        return mb_fail(m,
                       "nearly singular configuration at t = %.9g s: %s do not determine the "
                       "motion (%.3g of 1); keep away from it or choose other degrees of "
                       "freedom",
                       m->now.t, MB_MODEL->measure_name[block], measure);
    if (measure * m->conditioning[block] < 0)
        return mb_fail(m,
                       "the configuration passed a singular one between t = %.9g s and "
                       "t = %.9g s: %s; keep away from it, or take smaller steps",
                       m->accepted.t, m->now.t, MB_MODEL->measure_name[block]);
    return mb_fail_singular(m, block, m->now.t, fabs(measure));
}

/* Accepts the measures of a point, or fails if one of them vanishes or has changed its sign. */
mb_status mb_accept_conditioning(mb_instance *m, const double *measure)
{
    for (int i = 0; i < MB_MODEL->nr; i++) {
        const double size = fabs(measure[i]);
        if (!(size >= MB_SINGULAR && size >= MB_NEARLY_SINGULAR * m->largest[i]) ||
            measure[i] * m->conditioning[i] < 0)
            return refuse(m, i, measure[i]);
    }
    take_measures(m, measure);
    return MB_OK;
}

void mb_forget_trials(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->nr; i++)
        m->lowest[i] = m->highest[i] = fabs(m->conditioning[i]);
}

/* Whether all measures change so slowly that none can vanish within a step of length h and recover
 * by its end. Then the stages of the step need not be measured. */
int mb_measures_steady(const mb_instance *m, double h)
{
    for (int i = 0; i < MB_MODEL->nr; i++)
        if (!(fabs(h * m->trend[i]) <= MB_CALM * fabs(m->conditioning[i])))
            return 0;
    return 1;
}

static void note(mb_instance *m, int block, double size)
{
    if (size < m->lowest[block])
        m->lowest[block] = size;
    if (size > m->highest[block])
        m->highest[block] = size;
}

/* Notes the measures of a trial point; one on another branch has passed a zero. */
void mb_note_trial(mb_instance *m, const double *measure)
{
    for (int i = 0; i < MB_MODEL->nr; i++)
        note(m, i, measure[i] * m->conditioning[i] > 0 ? fabs(measure[i]) : 0);
}

/* Notes the measures of a trial point if it is on the branch of the accepted one; returns whether. */
int mb_note_on_branch(mb_instance *m, const double *measure)
{
    for (int i = 0; i < MB_MODEL->nr; i++)
        if (!(measure[i] * m->conditioning[i] > 0))
            return 0;
    for (int i = 0; i < MB_MODEL->nr; i++)
        note(m, i, fabs(measure[i]));
    return 1;
}

/* Whether a block may have been singular somewhere in a step of length h, by its measures at trial
 * points and by their trend. A search on the interpolant decides, which costs much more. */
int mb_may_be_singular(const mb_instance *m, int block, double h)
{
    const double low = m->lowest[block], before = m->conditioning[block];
    const double expected = (before + h * m->trend[block]) * (before < 0 ? -1 : 1);
    return !(low >= MB_STEADY * m->highest[block] && expected >= MB_STEADY * fabs(before) &&
             low >= MB_NEARLY_SINGULAR * m->largest[block]);
}

mb_status mb_fail_singular(mb_instance *m, int block, double t, double size)
{
    if (is_limit(block))
        return fail_limit(m, block, "at", t, "");
    if (is_of_laws(block))
        return fail_laws(m, block, t);
    const char *name = MB_MODEL->measure_name[block];
    return mb_fail(m,
                   "the motion reaches a singular configuration at t = %.9g s: there %s %s not "
                   "determine the motion any more (conditioning %.2g of its largest); export the "
                   "model with other degrees of freedom, or keep away from it",
                   t, name, strchr(name, ',') ? "do" : "does", size / m->largest[block]);
}

/* Refuses a step of length h in which a measure would vanish if it continued as in the last step,
 * with a margin: the stages of methods without error control are inaccurate there.
 * Returns the place in the step up to which it is accurate. */
mb_status mb_check_trend(mb_instance *m, double h, double *place)
{
    for (int i = 0; i < MB_MODEL->nr; i++) {
        const double size = fabs(m->conditioning[i]);
        const double loss = -h * m->trend[i] * (m->conditioning[i] < 0 ? -1 : 1);
        if (!(MB_HEADING * loss >= size))
            continue;
        *place = size / (MB_HEADING * loss);
        if (is_limit(i))
            return fail_limit(m, i, "at", m->accepted.t + size / loss * h, "; or take smaller steps");
        if (is_of_laws(i))
            return fail_laws(m, i, m->accepted.t + size / loss * h);
        return mb_fail(m,
                       "the motion reaches a singular configuration at t = %.9g s: there %s do not "
                       "determine the motion any more (conditioning %.2g of its largest at t = %.9g "
                       "s); export the model with other degrees of freedom, keep away from it, or "
                       "take smaller steps",
                       m->accepted.t + size / loss * h, MB_MODEL->measure_name[i], size / m->largest[i],
                       m->accepted.t);
    }
    return MB_OK;
}

/* The rates of measures jump at an event, so that the trend before it is of no use. */
void mb_forget_trend(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->nr; i++)
        m->trend[i] = NAN;
}

/* The smallest measure of a block at the accepted point, in parts of its largest; 1 without any. */
double mb_nearest_to_singular(const mb_instance *m)
{
    double least = 1;
    for (int i = MB_MODEL->limits; i < MB_MODEL->nr; i++)
        least = fmin(least, fabs(m->conditioning[i]) / fmax(m->largest[i], 1e-300));
    return least;
}

/* Fails if a limit is nearly reached at `now`, where the search for a configuration has ended. */
mb_status mb_fail_if_at_limit(mb_instance *m)
{
    if (MB_MODEL->limits == 0)
        return MB_OK;
    mb_run(m, &MB_MODEL->conditioning, &m->now, m->other_measure, NULL);
    for (int i = 0; i < MB_MODEL->limits; i++)
        if (!(fabs(m->other_measure[i]) >= MB_BLAMED * m->largest[i]))
            return fail_limit(m, i, "by", m->now.t, "");
    return MB_OK;
}

/* Fails with the block that is nearly singular, if there is one: it is the reason that no step is
 * possible. */
mb_status mb_fail_if_singular(mb_instance *m, mb_status otherwise)
{
    for (int i = 0; i < MB_MODEL->nr; i++)
        if (!(m->lowest[i] >= MB_BLAMED * m->largest[i]))
            return mb_fail_singular(m, i, m->now.t, m->lowest[i]);
    return otherwise;
}
