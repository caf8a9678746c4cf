/* Explicit Runge-Kutta methods: one way of stepping, for the tableaus of mbcore/integrators/methods/.
 *
 * Stage i is evaluated at s + h (a[i][0] k[0] + ... + a[i][i-1] k[i-1]) and t + c[i] h; the last
 * row of a gives the new point, whose rate is the next step's first one. Weights of an error estimate
 * are for the stages and, last, for that rate.
 */
#include <math.h>
#include <string.h>

#include "mb_foresight.h"
#include "mb_integrator.h"
#include "mb_long.h"
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

/* The sums of many states to what is in `sum`. */
static void add_all_stages(const mb_instance *m, double *sum, const double *weight, int first, int end)
{
    const double *k[MB_STAGES];
    for (int j = 0; j < end; j++)
        k[j] = m->stage[j];
    mb_add_long(sum, k, weight, first, end, MB_MODEL->ns);
}

static void advance_many(mb_instance *m, double h, const double *weight, int first, int stage)
{
    const double *from = m->accepted.s;
    double *s = m->now.s;
    memset(s, 0, (size_t)MB_MODEL->ns * sizeof(double));
    add_all_stages(m, s, weight, first, stage);
    for (int i = 0; i < MB_MODEL->ns; i++)
        s[i] = from[i] + h * s[i];
}

static inline void advance_stage(mb_instance *m, const struct mb_tableau *tableau, double h, int stage)
{
    const double *weight = tableau->a + stage * tableau->stages, *from = m->accepted.s;
    const int first = tableau->first[stage];
    double *const *k = m->stage, *s = m->now.s;
    if (first == stage - 1)
        advance_by_one(s, from, h, weight[first], k[first]);
    else if (first == 0 && stage == 4)
        advance_by_four(s, from, h, weight, k);
    else if (MB_MODEL->ns >= MB_LONG)
        advance_many(m, h, weight, first, stage);
    else
        for (int i = 0; i < MB_MODEL->ns; i++)
            s[i] = from[i] + h * add_stages(k, weight, first, stage, i, 0);
}

static double estimate(mb_instance *m, double h, const double *weight)
{
    const int stages = m->method->tableau->stages;
    double *difference = m->stage[MB_STAGES - 1];
    const int many = MB_MODEL->ns >= MB_LONG;
    for (int i = 0; i < MB_MODEL->ns; i++) {
        const double last = weight[stages] * m->rate[i];
        difference[i] = many ? last : h * add_stages(m->stage, weight, 0, stages, i, last);
    }
    if (many) {
        add_all_stages(m, difference, weight, 0, stages);
        for (int i = 0; i < MB_MODEL->ns; i++)
            difference[i] = h * difference[i];
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

/* What a plain stage costs at most. */
static double cost(void)
{
    const mb_model *n = MB_MODEL;
    const int once = 2 * MB_CALL + n->newton.statements + n->place.statements;
    return MB_TRIES * once + MB_CALL + n->derivative.statements;
}

/* Whether all that concerns the stages of a step is known before: inputs are constant, no conditioning
 * measure is to be noted, configurations follow or are foreseen. */
static int has_plain_stages(const mb_instance *m, int equal)
{
    const int foreseen = MB_MODEL->ni == 0 || (equal && mb_steps_known(m));
    return foreseen && m->last_noted >= 1 && m->input_mode == MB_INPUTS_CONSTANT &&
           m->parameters_checked && !m->sensitive &&
           m->work + m->method->tableau->stages * cost() < m->most_work;
}

/* The derivative at such a stage. Returns 0 if the configuration is not the foreseen one after all or
 * a value is not finite: mb_stage finds it, or says why there is none. */
static inline int evaluate_plainly(mb_instance *m, double t, int checked, double *rate)
{
    const int caches = checked && MB_MODEL->caches_with_rates;
    m->now.t = t;
    m->fresh = MB_CONFIGURED;
    if (MB_MODEL->ni > 0)
        mb_extrapolate(m);
    if (!mb_settle(m))
        return 0;
    mb_note_stage(m);
    m->evaluations++;
    m->res[2] = m->res[3] = caches ? m->cached : NULL;
    mb_call_at(m, &MB_MODEL->derivative, &m->now, rate, NULL);
    if (caches)
        mb_note_cached_now(m);
    return mb_all_finite(rate, MB_MODEL->ns);
}

/* The rates of the second stage and all others. */
static mb_status evaluate_stages(mb_instance *m, double h, int equal)
{
    const struct mb_tableau *tableau = m->method->tableau;
    const int plain = has_plain_stages(m, equal);
    mb_status status = MB_OK;
    for (int stage = 1; !status && stage < tableau->stages; stage++) {
        const double c = tableau->c[stage], t = m->accepted.t + c * h;
        const int checked = mb_stage_is_checked(m, h, c);
        advance_stage(m, tableau, h, stage);
        m->stage_number = equal ? stage : 0;
        if (!plain || !evaluate_plainly(m, t, checked, m->stage[stage]))
            status = mb_stage(m, h, c, m->stage[stage]);
        else if (checked)
            status = mb_check_stage(m, h, c);
        if (!status && m->sensitive)
            mb_vary_stage(m, h, stage);
    }
    m->stage_number = 0;
    return status;
}

static mb_status attempt_runge_kutta(mb_instance *m, double h, double t, double *error)
{
    const struct mb_tableau *tableau = m->method->tableau;
    const int equal = !m->method->adaptive && tableau->stages <= MB_REMEMBERED;
    mb_vary_stage(m, h, 0);
    m->stages_noted = 0;
    const mb_status failed = evaluate_stages(m, h, equal);
    if (failed)
        return failed;
    advance_stage(m, tableau, h, tableau->stages);
    mb_vary_end(m, h, t);
    *error = 0;
    if (!m->method->adaptive) { /* the rate there is the next step's, with other inputs perhaps */
        mb_go_to(m, t);
        m->stage_number = equal ? tableau->stages : 0;
        /* Indicators share most of it, and conditioning measures come with it. */
        m->rate_wanted = m->indicators_follow = MB_MODEL->ne > 0 && MB_MODEL->caches_with_rates &&
                                                (!MB_MODEL->known_indicator.call || m->inputs_stay);
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

#define MB_DEFINE(name, tableau, adaptive, exponent, damping, dense)                                 \
    const mb_method name = {attempt_runge_kutta, NULL, adaptive, exponent, damping, &tableau, NULL, dense};
MB_EACH_TABLEAU(MB_DEFINE)
