/* Explicit Runge-Kutta methods: one way of stepping, for the tableaus of mbcore/integrators/methods/.
 *
 * Stage i is evaluated at s + h (a[i][0] k[0] + ... + a[i][i-1] k[i-1]) and t + c[i] h; the last
 * row of a gives the new point, whose rate is the next step's first one. Weights of an error estimate
 * are for the stages and, last, for that rate.
 */
#include <math.h>

#include "mb_integrator.h"
#include "mb_tableaus.h"

/* Adds the weighted stages from `first` on to a sum, for state i. */
static double add_stages(double *const *stage, const double *weight, int first, int end, int i,
                         double sum)
{
    for (int j = first; j < end; j++)
        sum += weight[j] * stage[j][i];
    return sum;
}

/* All stages but the last of the classical method. */
static inline void advance_by_one(double *restrict s, const double *restrict from, double h, double weight,
                                  const double *restrict k)
{
    for (int i = 0; i < MB_MODEL->ns; i++)
        s[i] = from[i] + h * (weight * k[i]);
}

/* Its end: the sum of add_stages, written out. */
static inline void advance_by_four(double *restrict s, const double *restrict from, double h,
                                   const double *weight, double *const *k)
{
    const double *restrict a = k[0], *restrict b = k[1], *restrict c = k[2], *restrict d = k[3];
    const double wa = weight[0], wb = weight[1], wc = weight[2], wd = weight[3];
    for (int i = 0; i < MB_MODEL->ns; i++)
        s[i] = from[i] + h * (wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i]);
}

static void advance_stage(mb_instance *m, double h, int stage)
{
    const struct mb_tableau *tableau = m->method->tableau;
    const double *weight = tableau->a + stage * tableau->stages, *from = m->accepted.s;
    const int first = tableau->first[stage];
    double *const *k = m->stage, *s = m->now.s;
    if (first == stage - 1)
        advance_by_one(s, from, h, weight[first], k[first]);
    else if (first == 0 && stage == 4)
        advance_by_four(s, from, h, weight, k);
    else
        for (int i = 0; i < MB_MODEL->ns; i++)
            s[i] = from[i] + h * add_stages(k, weight, first, stage, i, 0);
}

static double estimate(mb_instance *m, double h, const double *weight)
{
    const int stages = m->method->tableau->stages;
    double *difference = m->stage[MB_STAGES - 1];
    for (int i = 0; i < MB_MODEL->ns; i++) {
        const double last = weight[stages] * m->rate[i];
        difference[i] = h * add_stages(m->stage, weight, 0, stages, i, last);
    }
    return mb_error_norm(m, difference);
}

/* One estimate, or Hairer's combination of those of orders 5 and 3. */
static double estimated_error(mb_instance *m, double h)
{
    const double *const *weights = m->method->tableau->error;
    const double first = estimate(m, h, weights[0]);
    if (!weights[1])
        return first;
    const double second = estimate(m, h, weights[1]);
    const double both = sqrt(first * first + 0.01 * second * second);
    return both > 0 ? first * first / both : 0;
}

static mb_status attempt_runge_kutta(mb_instance *m, double h, double t, double *error)
{
    const struct mb_tableau *tableau = m->method->tableau;
    const int equal = !m->method->adaptive && tableau->stages <= MB_REMEMBERED;
    mb_vary_stage(m, h, 0);
    m->stages_noted = 0;
    for (int stage = 1; stage < tableau->stages; stage++) {
        advance_stage(m, h, stage);
        m->stage_number = equal ? stage : 0;
        const mb_status status = mb_stage(m, h, tableau->c[stage], m->stage[stage]);
        m->stage_number = 0;
        if (status)
            return status;
        mb_vary_stage(m, h, stage);
    }
    advance_stage(m, h, tableau->stages);
    mb_vary_end(m, h, t);
    *error = 0;
    if (!m->method->adaptive) { /* the rate there is the next step's, with other inputs perhaps */
        mb_go_to(m, t);
        m->stage_number = equal ? tableau->stages : 0;
        /* Indicators share most of it, and conditioning measures come with it. */
        m->rate_wanted = m->indicators_follow = MB_MODEL->ne > 0 && MB_MODEL->caches_with_rates;
        const mb_status status = mb_configure(m);
        m->rate_wanted = m->indicators_follow = 0;
        m->stage_number = 0;
        return status;
    }
    const mb_status status = mb_arrive(m, t);
    if (!status)
        *error = estimated_error(m, h);
    return status;
}

#define MB_DEFINE(name, tableau, adaptive, exponent, damping)                                        \
    const mb_method name = {attempt_runge_kutta, NULL, adaptive, exponent, damping, &tableau};
MB_EACH_TABLEAU(MB_DEFINE)
