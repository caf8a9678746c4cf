/* How regular the motion has been: measures of the Jacobians' blocks, followed in time.
 *
 * A measure has no scale of its own; what counts is how small it becomes against the largest it has
 * had at an accepted point. Between accepted points, the smallest and largest sizes of each tell
 * whether a step has to be looked at. The first measures belong to limits, such as the side of the
 * floor that a wheel is on, and are followed likewise.
 */
#include <math.h>
#include <string.h>

#include "mb_evaluation.h"
#include "mb_tolerances.h"

static void go_on(mb_instance *m, const double *measure)
{
    const double h = m->now.t - m->accepted.t;
    for (int i = 0; i < m->model->nr; i++) {
        const double size = fabs(measure[i]);
        if (h > 0)
            m->trend[i] = (measure[i] - m->regularity[i]) / h;
        m->regularity[i] = measure[i];
        m->lowest[i] = m->highest[i] = size;
        if (size > m->largest[i])
            m->largest[i] = size;
    }
}

/* Begins again at the measures of a first point. */
void mb_start_regularity(mb_instance *m, const double *measure)
{
    memset(m->regularity, 0, (size_t)(MB_REGULARITIES * m->model->nr) * sizeof(double));
    mb_forget_trend(m);
    go_on(m, measure);
}

/* Says which limit is reached, at a time or by then, and what may help beside what it says. */
static mb_status fail_limit(mb_instance *m, int block, const char *when, double t, const char *more)
{
    const mb_requirement *r = &m->model->requirement[m->model->limit[block]];
    return mb_fail(m, "%s is reached %s t = %.9g s: %s%s", r->name, when, t, r->message, more);
}

/* Says why a measure cannot belong to an accepted point. */
static mb_status refuse(mb_instance *m, int block, double measure)
{
    if (block < m->model->limits)
        return fail_limit(m, block, "by", m->now.t, "");
    if (!(fabs(measure) >= MB_SINGULAR))
        return mb_fail(m,
                       "nearly singular configuration at t = %.9g s: %s do not determine the "
                       "motion (%.3g of 1); keep away from it or choose other degrees of "
                       "freedom",
                       m->now.t, m->model->regular[block], measure);
    if (measure * m->regularity[block] < 0)
        return mb_fail(m,
                       "the configuration passed a singular one between t = %.9g s and "
                       "t = %.9g s: %s; keep away from it, or take smaller steps",
                       m->accepted.t, m->now.t, m->model->regular[block]);
    return mb_fail_singular(m, block, m->now.t, fabs(measure));
}

/* Goes on from the measures of a point that is accepted, unless one cannot belong to such a point. */
mb_status mb_accept_regularity(mb_instance *m, const double *measure)
{
    for (int i = 0; i < m->model->nr; i++) {
        const double size = fabs(measure[i]);
        if (!(size >= MB_SINGULAR && size >= MB_NEARLY_SINGULAR * m->largest[i]) ||
            measure[i] * m->regularity[i] < 0)
            return refuse(m, i, measure[i]);
    }
    go_on(m, measure);
    return MB_OK;
}

void mb_forget_trials(mb_instance *m)
{
    for (int i = 0; i < m->model->nr; i++)
        m->lowest[i] = m->highest[i] = fabs(m->regularity[i]);
}

/* Whether no measure has changed by more than a small part in the time of a step of length h: in the
 * next one none can vanish that turns up again at its end. */
int mb_calm(const mb_instance *m, double h)
{
    for (int i = 0; i < m->model->nr; i++)
        if (!(fabs(h * m->trend[i]) <= MB_CALM * fabs(m->regularity[i])))
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
    for (int i = 0; i < m->model->nr; i++)
        note(m, i, measure[i] * m->regularity[i] > 0 ? fabs(measure[i]) : 0);
}

/* Notes the measures of a trial point if it is on the branch of the accepted one; returns whether. */
int mb_note_on_branch(mb_instance *m, const double *measure)
{
    for (int i = 0; i < m->model->nr; i++)
        if (!(measure[i] * m->regularity[i] > 0))
            return 0;
    for (int i = 0; i < m->model->nr; i++)
        note(m, i, fabs(measure[i]));
    return 1;
}

/* Whether a block may have been singular somewhere in a step of length h: by the trial points, and by
 * where its measure was going. */
int mb_suspect(const mb_instance *m, int block, double h)
{
    const double low = m->lowest[block], before = m->regularity[block];
    const double expected = (before + h * m->trend[block]) * (before < 0 ? -1 : 1);
    return !(low >= MB_STEADY * m->highest[block] && expected >= MB_STEADY * fabs(before) &&
             low >= MB_NEARLY_SINGULAR * m->largest[block]);
}

mb_status mb_fail_singular(mb_instance *m, int block, double t, double size)
{
    if (block < m->model->limits)
        return fail_limit(m, block, "at", t, "");
    return mb_fail(m,
                   "the motion reaches a singular configuration at t = %.9g s: there %s %s not "
                   "determine the motion any more (regularity %.2g of its largest); export the "
                   "model with other degrees of freedom, or keep away from it",
                   t, m->model->regular[block], strchr(m->model->regular[block], ',') ? "do" : "does",
                   size / m->largest[block]);
}

/* Refuses a step of length h at whose end, or before, a measure would vanish that goes on as in the
 * last step, with a margin: stages of methods without error test do not follow the motion there.
 * Gives the place in the step from which on it is not to be trusted. */
mb_status mb_check_heading(mb_instance *m, double h, double *place)
{
    for (int i = 0; i < m->model->nr; i++) {
        const double size = fabs(m->regularity[i]);
        const double loss = -h * m->trend[i] * (m->regularity[i] < 0 ? -1 : 1);
        if (!(MB_HEADING * loss >= size))
            continue;
        *place = size / (MB_HEADING * loss);
        if (i < m->model->limits)
            return fail_limit(m, i, "at", m->accepted.t + size / loss * h, "; or take smaller steps");
        return mb_fail(m,
                       "the motion reaches a singular configuration at t = %.9g s: there %s do not "
                       "determine the motion any more (regularity %.2g of its largest at t = %.9g "
                       "s); export the model with other degrees of freedom, keep away from it, or "
                       "take smaller steps",
                       m->accepted.t + size / loss * h, m->model->regular[i], size / m->largest[i],
                       m->accepted.t);
    }
    return MB_OK;
}

/* What measures did before an event says nothing of what they do after it. */
void mb_forget_trend(mb_instance *m)
{
    for (int i = 0; i < m->model->nr; i++)
        m->trend[i] = NAN;
}

/* The smallest measure of a block at the accepted point, in parts of its largest; 1 without any. */
double mb_nearest_to_singular(const mb_instance *m)
{
    double least = 1;
    for (int i = m->model->limits; i < m->model->nr; i++)
        least = fmin(least, fabs(m->regularity[i]) / fmax(m->largest[i], 1e-300));
    return least;
}

/* Says which limit is as good as reached in `now`, where the way to a configuration ended; OK if none. */
mb_status mb_blame_limit(mb_instance *m)
{
    if (m->model->limits == 0)
        return MB_OK;
    mb_run(m, &m->model->regularity, &m->now, m->other_sign, NULL);
    for (int i = 0; i < m->model->limits; i++)
        if (!(fabs(m->other_sign[i]) >= MB_BLAMED * m->largest[i]))
            return fail_limit(m, i, "by", m->now.t, "");
    return MB_OK;
}

/* Says where no step can be made that a block is nearly singular, if one is; else what is given. */
mb_status mb_blame(mb_instance *m, mb_status otherwise)
{
    for (int i = 0; i < m->model->nr; i++)
        if (!(m->lowest[i] >= MB_BLAMED * m->largest[i]))
            return mb_fail_singular(m, i, m->now.t, m->lowest[i]);
    return otherwise;
}
