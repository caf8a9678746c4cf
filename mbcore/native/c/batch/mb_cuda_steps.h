/* Equal steps of the classical Runge-Kutta method, an instance in each thread. Stands behind the functions
 * of the model and its sizes.
 */

/* What has come of an instance; where it is left, s, x and `steps` are those before the step in which
 * something unusual was met: an event, a singular configuration, a value out of reach. */
enum { MB_DONE = 1, MB_LEFT_TO_HOST = 2 };

typedef struct {
    double t, s[MB_NS + 1], d[MB_ND + 1], u[MB_NU + 1], p[MB_NP + 1], x[MB_NX + 1];
    double branch[MB_NR + 1]; /* signs of conditioning measures at the start */
    double work[MB_LANE_WORK + 1];
} mb_thread;

typedef void (*mb_model_function)(const mb_lane **, mb_lane **, mb_lane *);

MB_DEVICE void mb_call_thread(mb_thread *m, mb_model_function function, double *first, double *second,
                              double *third, double *fourth)
{
    const double *arg[6] = {&m->t, m->s, m->d, m->u, m->p, m->x};
    double *result[4] = {first, second, third, fourth};
    function(arg, result, m->work);
}

/* Newton's iteration, as mb_configuration.c has it; returns whether it has found the configuration. */
MB_DEVICE int mb_configure_thread(mb_thread *m, const double *scale)
{
    double next[MB_NX + 1], limit = MB_FARTHEST;
    for (int found = MB_NX == 0; !found;) {
        double size = 0, reach = 0;
        mb_call_thread(m, mb_lane_newton, next, 0, 0, 0);
        for (int i = 0; i < MB_NX; i++) {
            const double moved = fabs(next[i] - m->x[i]) / scale[i];
            size = moved <= size ? size : moved; /* keeps what is not finite */
            reach = fmax(reach, fabs(next[i]) / scale[i]);
        }
        if (!(size <= limit))
            return 0;
        for (int i = 0; i < MB_NX; i++)
            m->x[i] = next[i];
        limit = fmin(MB_CONTRACTION * size, MB_NEAR);
        found = MB_NI == 0 || size <= MB_CONVERGED ||
                (size <= MB_NEAR && size <= MB_CONVERGED + MB_ROUNDING * reach);
    }
    return 1;
}

/* The rates at t, s; returns whether nothing is unusual there. */
MB_DEVICE int mb_rates_of_thread(mb_thread *m, const double *scale, int first, double *rate)
{
    double measure[MB_NR + 1], indicator[MB_NE + 1], required[MB_NQ + 1];
    int good = mb_configure_thread(m, scale);
    if (!good)
        return 0;
    mb_call_thread(m, mb_lane_rates, rate, measure, indicator, required);
    for (int i = 0; i < MB_NS; i++)
        good &= fabs(rate[i]) < (double)INFINITY;
    for (int i = 0; i < MB_NR; i++) {
        m->branch[i] = first ? measure[i] : m->branch[i];
        good &= measure[i] * m->branch[i] > 0 && fabs(measure[i]) > (i < MB_LIMITS ? 0 : MB_SINGULAR);
    }
    for (int i = 0; i < MB_NE; i++) {
        const int active = m->d[i] > 0.5;
        const double z = (active ? -mb_band(i) : mb_band(i)) - indicator[i];
        good &= (active ? z : -z) <= 0;
    }
    for (int i = 0; i < MB_NQ; i++)
        good &= !mb_required_always(i) || required[i] > 0;
    return good;
}

/* A step from s, x with the rate there; leaves the new ones. */
MB_DEVICE int mb_step_of_thread(mb_thread *m, const double *scale, double t, double h, double *rate)
{
    double from[MB_NS + 1], stage[MB_STEP_STAGES][MB_NS + 1];
    for (int i = 0; i < MB_NS; i++) {
        from[i] = m->s[i];
        stage[0][i] = rate[i];
    }
    for (int j = 1; j <= MB_STEP_STAGES; j++) {
        for (int i = 0; i < MB_NS; i++) {
            double sum = 0;
            for (int k = 0; k < j; k++)
                sum += mb_step_weight(j * MB_STEP_STAGES + k) * stage[k][i];
            m->s[i] = from[i] + h * sum;
        }
        m->t = t + mb_step_place(j) * h;
        if (!mb_rates_of_thread(m, scale, 0, j < MB_STEP_STAGES ? stage[j] : rate))
            return 0;
    }
    return 1;
}

MB_DEVICE void mb_copy_column(double *to, const double *from, int n, long long count, long long k)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i * count + k];
}

/* Makes steps of all instances. Arrays have a row of `count` numbers for each state, coordinate and so on;
 * s and x are those at the start, then those at the end. `scale` is of the coordinates. */
MB_KERNEL void mb_steps(long long count, long long steps, double t, double h, double *s, const double *d,
                        const double *u, const double *p, double *x, const double *scale,
                        long long *made, unsigned char *outcome)
{
    const long long k = MB_NUMBER;
    double rate[MB_NS + 1];
    mb_thread m;
    if (k >= count)
        return;
    m.t = t;
    mb_copy_column(m.s, s, MB_NS, count, k);
    mb_copy_column(m.d, d, MB_ND, count, k);
    mb_copy_column(m.u, u, MB_NU, count, k);
    mb_copy_column(m.p, p, MB_NP, count, k);
    mb_copy_column(m.x, x, MB_NX, count, k);
    int good = mb_rates_of_thread(&m, scale, 1, rate);
    long long n = 0;
    for (; good; n++) {
        for (int i = 0; i < MB_NS; i++)
            s[i * count + k] = m.s[i];
        for (int i = 0; i < MB_NX; i++)
            x[i * count + k] = m.x[i];
        if (n == steps)
            break;
        good = mb_step_of_thread(&m, scale, t + (double)n * h, h, rate);
    }
    made[k] = good ? n : n > 0 ? n - 1 : 0;
    outcome[k] = good ? MB_DONE : MB_LEFT_TO_HOST;
}
