/* States between the ends of a step, from its stages.
 *
 * DOP853, and other methods whose tableau has an interpolant: that one. RK45: that of DOPRI5 by E. Hairer,
 * S. P. Norsett, G. Wanner: Solving Ordinary Differential Equations I, section II.6, in the form of
 * L. F. Shampine: Some practical Runge-Kutta formulas. Math. Comp. 46 (1986). Rosenbrock methods: those of
 * their authors, of one order less than the steps. All others: of third order, from values and rates.
 */
#include <string.h>

#include "mb_integrator.h"
#include "mb_long.h"

enum { STAGES_5 = 7, TERMS_5 = 4, MOST_RATES = MB_STAGES + MB_DENSE_RATES };

static const double P_5[STAGES_5][TERMS_5] = {
    {1.0, -2.8535800653862835, 3.0717434641059005, -1.1270175653862835},
    {0},
    {0, 4.023133379230305, -6.249321565289, 2.675424484351598},
    {0, -3.7324019615885042, 10.068970589843675, -5.685526961588504},
    {0, 2.5548038301849423, -6.399112377351017, 3.5219323679207912},
    {0, -1.3744241142186024, 3.272657752246729, -1.7672812570757455},
    {0, 1.3824689317781436, -3.764937863556287, 2.382468931778144}};

static double weighted(const double *weight, const double *const *rate, int n, int i)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        if (weight[j] != 0)
            sum += weight[j] * rate[j][i];
    return sum;
}

/* h times the weighted sums of many states' rates. */
static void weigh_all(double *to, double h, const double *const *rate, const double *weight, int rates)
{
    memset(to, 0, (size_t)MB_MODEL->ns * sizeof(double));
    mb_add_long(to, rate, weight, 0, rates, MB_MODEL->ns);
    for (int i = 0; i < MB_MODEL->ns; i++)
        to[i] = h * to[i];
}

static mb_status begin_own(mb_instance *m, const double *to, const double *to_rate)
{
    const struct mb_interpolant *dense = m->method->tableau->dense;
    const int n = MB_MODEL->ns, end = m->method->tableau->stages, all = end + 1 + dense->more;
    const double h = m->stage_step, *from = m->accepted.s;
    const double *rate[MOST_RATES];
    for (int j = 0; j < end; j++)
        rate[j] = m->stage[j];
    rate[end] = to_rate;
    for (int k = 0; k < dense->more; k++) {
        const int known = end + 1 + k;
        for (int i = 0; i < n; i++)
            m->now.s[i] = from[i] + h * weighted(dense->a + k * all, rate, known, i);
        mb_go_to(m, m->accepted.t + dense->c[k] * h);
        const mb_status status = mb_derive(m, m->dense_rate[k]);
        if (status)
            return status;
        rate[known] = m->dense_rate[k];
    }
    for (int i = 0; i < n; i++) {
        const double moved = to[i] - from[i];
        m->term[0][i] = moved;
        m->term[1][i] = h * rate[0][i] - moved;
        m->term[2][i] = 2 * moved - h * (rate[end][i] + rate[0][i]);
        for (int k = 3; k < dense->terms && n < MB_LONG; k++)
            m->term[k][i] = h * weighted(dense->weight + (k - 3) * all, rate, all, i);
    }
    for (int k = 3; k < dense->terms && n >= MB_LONG; k++)
        weigh_all(m->term[k], h, rate, dense->weight + (k - 3) * all, all);
    return MB_OK;
}

static void begin_order_5(mb_instance *m, const double *to_rate)
{
    const double *rate[STAGES_5];
    for (int j = 0; j < STAGES_5 - 1; j++)
        rate[j] = m->stage[j];
    rate[STAGES_5 - 1] = to_rate;
    for (int i = 0; i < MB_MODEL->ns; i++)
        for (int k = 0; k < TERMS_5; k++) {
            double sum = 0;
            for (int j = 0; j < STAGES_5; j++)
                sum += P_5[j][k] * rate[j][i];
            m->term[k][i] = m->stage_step * sum;
        }
}

static void begin_rodas(mb_instance *m, const double *to)
{
    const struct mb_rosenbrock *method = m->method->rosenbrock;
    const double *change[MB_STAGES];
    for (int j = 0; j < method->stages; j++)
        change[j] = m->stage[j + 1];
    for (int i = 0; i < MB_MODEL->ns; i++) {
        m->term[0][i] = to[i];
        for (int k = 0; k < method->terms; k++)
            m->term[1 + k][i] = weighted(method->dense + k * method->stages, change, method->stages, i);
    }
}

static void begin_ends(mb_instance *m, const double *to, const double *to_rate)
{
    const size_t size = (size_t)MB_MODEL->ns * sizeof(double);
    memcpy(m->term[0], to, size);
    memcpy(m->term[1], to_rate, size);
}

/* Prepares the interpolant of the last step that was attempted, which ends with a state and a rate, unless
 * that has been done. It may leave `now` elsewhere. */
mb_status mb_begin_dense(mb_instance *m, const double *to, const double *to_rate)
{
    if (m->dense_known)
        return MB_OK;
    if (m->slid)
        to = m->end_state, to_rate = m->end_rate;
    mb_status status = MB_OK;
    if (m->method->dense == MB_DENSE_OWN)
        status = begin_own(m, to, to_rate);
    else if (m->method->dense == MB_DENSE_RK45)
        begin_order_5(m, to_rate);
    else if (m->method->dense == MB_DENSE_RODAS)
        begin_rodas(m, to);
    else
        begin_ends(m, to, to_rate);
    m->dense_known = !status;
    return status;
}

/* Horner's scheme for all states at once, so that they do not wait for each other. */
static void add_terms(const mb_instance *m, int terms, double even, double odd, double *restrict s)
{
    const int n = MB_MODEL->ns;
    memset(s, 0, (size_t)n * sizeof(double));
    for (int k = terms - 1; k >= 0; k--) {
        const double *restrict term = m->term[k];
        const double factor = k % 2 ? odd : even;
        for (int i = 0; i < n; i++)
            s[i] = (s[i] + term[i]) * factor;
    }
    for (int i = 0; i < n; i++)
        s[i] = m->accepted.s[i] + s[i];
}

/* A state that stays stays to the last digit: so here, and in the next, it is moved from where it was. */
static double at_rodas(const mb_instance *m, double x, int i)
{
    const int terms = m->method->rosenbrock->terms;
    const double from = m->accepted.s[i];
    double inner = m->term[terms][i];
    for (int k = terms - 1; k > 0; k--)
        inner = m->term[k][i] + x * inner;
    return from + x * ((m->term[0][i] - from) + (1 - x) * inner);
}

static double at_ends(const mb_instance *m, double x, int i)
{
    const double h = m->stage_step, a = x * x * (3 - 2 * x);
    const double b = h * x * (1 - x) * (1 - x), c = h * x * x * (x - 1);
    return m->accepted.s[i] + (a * (m->term[0][i] - m->accepted.s[i]) + b * m->stage[0][i] +
                               c * m->term[1][i]);
}

/* The state at a time in the step. */
void mb_dense_state(const mb_instance *m, double t, double *s)
{
    const double x = (t - m->accepted.t) / m->stage_step;
    if (m->method->dense == MB_DENSE_OWN)
        add_terms(m, m->method->tableau->dense->terms, x, 1 - x, s);
    else if (m->method->dense == MB_DENSE_RK45)
        add_terms(m, TERMS_5, x, x, s);
    else
        for (int i = 0; i < MB_MODEL->ns; i++)
            s[i] = m->method->dense == MB_DENSE_RODAS ? at_rodas(m, x, i) : at_ends(m, x, i);
}
