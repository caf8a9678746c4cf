/* The experiment that the importer declares, and the times that are allowed within it.
 *
 * Importers calculate communication points as sums of steps or as multiples of one, and solvers of
 * Model Exchange try points beyond the end, from which they interpolate back. Neither is an error.
 */
#include <float.h>
#include <math.h>

#include "mb_calls.h"

static const double ROUNDING = 16 * DBL_EPSILON;
static const double SUMMED = 1e-10;     /* error of sums of many steps, relative to time */
static const double OF_STEP = 1e-6;     /* but not more than this part of a step */
static const double AT_THE_END = 1e-9;  /* relative to time: importers say "close" to the end */
static const double MOST_OF_STEP = 0.5; /* a whole step more is none that rounding has added */
static const double TRIED = 0.05;       /* part of the experiment that a solver may try beyond it */

mb_status mb_set_experiment(mb_instance *m, double t, int tolerance_defined, double tolerance)
{
    if (!isfinite(t))
        return mb_refuse(m, MB_ERROR, "the start time %g is not finite", t);
    if (tolerance_defined && !(tolerance > 0 && isfinite(tolerance)))
        return mb_refuse(m, MB_ERROR, "the tolerance %g is not a positive number", tolerance);
    m->now.t = m->start_time = t;
    m->tolerance = tolerance_defined ? tolerance : 0;
    return MB_OK;
}

/* After mb_set_experiment. */
mb_status mb_set_stop_time(mb_instance *m, int defined, double t)
{
    m->stop_time = INFINITY;
    if (!defined)
        return MB_OK;
    if (!(isfinite(t) && t >= m->start_time))
        return mb_refuse(m, MB_ERROR,
                         "the stop time %.17g s is not possible after a start at t = %.17g s; it must "
                         "be finite and not before the start, or not defined",
                         t, m->start_time);
    m->stop_time = t;
    return MB_OK;
}

/* Both, or nothing where either is refused. */
mb_status mb_set_up(mb_instance *m, double start, int tolerance_defined, double tolerance,
                    int stop_defined, double stop)
{
    const double time = m->now.t, begin = m->start_time, end = m->stop_time, was = m->tolerance;
    mb_status status = mb_set_experiment(m, start, tolerance_defined, tolerance);
    if (!status)
        status = mb_set_stop_time(m, stop_defined, stop);
    if (status) {
        m->now.t = time;
        m->start_time = begin;
        m->stop_time = end;
        m->tolerance = was;
    }
    return status;
}

/* The largest of the times whose rounding errors are in a time. */
static double size_of_times(const mb_instance *m, double t)
{
    return fmax(fmax(fabs(t), fabs(m->now.t)), fabs(m->start_time));
}

/* How far the last of equal steps that are summed may end beyond the stop time. */
static double past_by_steps(const mb_instance *m, double t, double step)
{
    const double size = size_of_times(m, t), steps = fabs(t - m->start_time) / step;
    return fmin(AT_THE_END * size + DBL_EPSILON * steps * size, MOST_OF_STEP * step);
}

/* Whether a step begins where the FMU is, up to rounding. */
static int continues(const mb_instance *m, double point, double step)
{
    const double size = size_of_times(m, point + step);
    return fabs(point - m->now.t) <= ROUNDING * size + fmin(SUMMED * size, OF_STEP * step);
}

/* Whether a communication step may be made. */
mb_status mb_check_step(mb_instance *m, double point, double step)
{
    const double end = point + step;
    if (!(point - point == 0 && step > 0 && end - end == 0)) /* else finite */
        return mb_refuse(m, MB_ERROR,
                         "a step of %g s from t = %g s is not possible; the step must be positive, "
                         "both must be finite",
                         step, point);
    if (point != m->now.t && !continues(m, point, step))
        return mb_refuse(m, MB_ERROR,
                         "the step begins at t = %.17g s, but the FMU is at t = %.17g s; steps "
                         "must follow each other",
                         point, m->now.t);
    if (end > m->stop_time && end - m->stop_time > past_by_steps(m, end, step))
        return mb_refuse(m, MB_ERROR,
                         "the step ends at t = %.17g s, past the stop time t = %.17g s that was "
                         "declared; take a shorter step, or declare a later stop time or none",
                         end, m->stop_time);
    return MB_OK;
}

static mb_status check_time(mb_instance *m, double t, double beyond)
{
    if (!(t - m->stop_time > AT_THE_END * size_of_times(m, t) + beyond))
        return MB_OK;
    return mb_refuse(m, MB_ERROR,
                     "t = %.17g s is past the stop time t = %.17g s that was declared; end there, or "
                     "declare a later stop time or none",
                     t, m->stop_time);
}

/* Whether a step of Model Exchange may be completed, or an event handled, where time is. */
mb_status mb_check_time(mb_instance *m) { return check_time(m, m->now.t, 0); }

mb_status mb_set_time(mb_instance *m, double t)
{
    if (!isfinite(t))
        return mb_refuse(m, MB_DISCARD, "the time %g is not finite; it stays %.9g s", t, m->now.t);
    const mb_status status =
        isfinite(m->stop_time) ? check_time(m, t, TRIED * (m->stop_time - m->start_time)) : MB_OK;
    if (!status && t != m->now.t) {
        m->now.t = t;
        m->fresh = 0;
    }
    return status;
}
