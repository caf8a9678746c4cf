/* Explicit steps: Dormand and Prince's method of order 8, as SciPy's DOP853 takes them. State, columns
 * and integral are one system, with one error estimate.
 *
 * Source: E. Hairer, S. P. Norsett, G. Wanner: Solving Ordinary Differential Equations I, section II.
 */
#include <math.h>
#include <string.h>

#include "mb_flow.h"

static const double ERROR_3 = 0.01; /* share of the squares of the estimate of order 3 */

static double *rates_of(const mb_flow *f, int stage) { return f->stage_rate + stage * mb_flow_size(f); }

/* Values at a stage: the begin and the weighted rates of the stages before. */
static void weigh(mb_flow *f, double h, const double *weight, int stages, int count, double *to)
{
    for (int i = 0; i < count; i++)
        to[i] = 0;
    for (int j = 0; j < stages; j++) {
        const double *rate = rates_of(f, j), factor = weight[j];
        for (int i = 0; factor != 0 && i < count; i++)
            to[i] += factor * rate[i];
    }
    for (int i = 0; i < count; i++)
        to[i] = f->step[i] + h * to[i];
}

/* The error of the step on trial in parts of tolerances. */
static double estimate(const mb_flow *f, double h)
{
    const mb_explicit *method = f->explicit_steps;
    const int size = mb_flow_size(f);
    double square_5 = 0, square_3 = 0;
    for (int i = 0; i < size; i++) {
        const double largest = fmax(fabs(f->step[i]), fabs(f->trial[i]));
        const double scale = f->absolute[i] + largest * f->relative;
        double error_5 = 0, error_3 = 0;
        for (int j = 0; j <= method->stages; j++) {
            const double rate = rates_of(f, j)[i];
            error_5 += method->error_5[j] * rate;
            error_3 += method->error_3[j] * rate;
        }
        square_5 += error_5 / scale * (error_5 / scale);
        square_3 += error_3 / scale * (error_3 / scale);
    }
    if (square_5 == 0 && square_3 == 0)
        return 0;
    return fabs(h) * square_5 / sqrt((square_5 + ERROR_3 * square_3) * size);
}

/* Makes a step to a time on trial; returns its error, or NaN where there is no rate. */
static double try_explicit_step(mb_flow *f, double h, double until)
{
    const mb_explicit *method = f->explicit_steps;
    const int size = mb_flow_size(f);
    for (int j = 1; j < method->stages; j++) {
        weigh(f, h, method->matrix + j * method->all, j, size, f->trial);
        if (!mb_flow_rates(f, f->t + method->node[j] * h, f->trial, rates_of(f, j)))
            return NAN;
    }
    weigh(f, h, method->matrix + method->stages * method->all, method->stages, size, f->trial);
    if (!mb_flow_rates(f, until, f->trial, rates_of(f, method->stages)))
        return NAN;
    return estimate(f, h);
}

int mb_explicit_step(mb_flow *f)
{
    const mb_explicit *method = f->explicit_steps;
    const size_t whole = (size_t)mb_flow_size(f) * sizeof(double);
    const double least = method->least * (nextafter(f->t, INFINITY) - f->t);
    double h = fmax(fmin(f->next, f->longest_step), least);
    int rejected = 0;
    if (f->last > 0)
        memcpy(rates_of(f, 0), rates_of(f, method->stages), whole);
    memcpy(f->step, f->y, whole);
    for (;;) {
        if (!(h >= least))
            return MB_FLOW_STUCK;
        const double until = fmin(f->t + h, f->until);
        h = until - f->t;
        const double error = try_explicit_step(f, h, until);
        if (f->ended)
            return MB_FLOW_ENDED;
        const double factor = method->safety * pow(error, -method->exponent); /* perhaps NaN */
        if (error < 1) {
            const double grown = error == 0 ? method->grow : fmin(method->grow, factor);
            f->next = h * (rejected ? fmin(1, grown) : grown);
            f->last = h;
            f->t = until;
            memcpy(f->y, f->trial, whole);
            return MB_FLOW_STEPPED;
        }
        h *= fmax(method->shrink, factor);
        rejected = 1;
    }
}

static double mean_square(const mb_flow *f, const double *some, const double *less)
{
    const int size = mb_flow_size(f);
    double sum = 0;
    for (int i = 0; i < size; i++) {
        const double scale = f->absolute[i] + fabs(f->y[i]) * f->relative;
        const double part = (some[i] - (less ? less[i] : 0)) / scale;
        sum += part * part;
    }
    return sqrt(sum / size);
}

/* Finds rates at the first values, and a length of the first step, after Hairer and others, II.4. */
int mb_explicit_begin(mb_flow *f)
{
    const mb_explicit *method = f->explicit_steps;
    const int size = mb_flow_size(f);
    const double left = f->until - f->t;
    double *first = rates_of(f, 0), *second = rates_of(f, 1);
    if (!mb_flow_rates(f, f->t, f->y, first))
        return f->ended ? MB_FLOW_ENDED : MB_FLOW_STUCK;
    const double place = mean_square(f, f->y, NULL), speed = mean_square(f, first, NULL);
    const double h = fmin(place < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * place / speed, left);
    for (int i = 0; i < size; i++)
        f->trial[i] = f->y[i] + h * first[i];
    const int found = mb_flow_rates(f, f->t + h, f->trial, second);
    if (f->ended)
        return MB_FLOW_ENDED;
    const double bend = found ? mean_square(f, second, first) / h : NAN;
    const double larger = bend > speed ? bend : speed;
    double next = pow(0.01 / larger, method->exponent);
    if (speed <= 1e-15 && bend <= 1e-15)
        next = fmax(1e-6, h * 1e-3);
    f->next = fmin(fmin(100 * h, next), fmin(left, f->longest_step));
    return MB_FLOW_STEPPED;
}

/* Makes the interpolant of the last step, of the state or of the whole; returns whether it could. */
int mb_explicit_dense(mb_flow *f, int whole)
{
    const mb_explicit *method = f->explicit_steps;
    const int size = mb_flow_size(f), n = mb_flow_states(f), count = whole ? size : n;
    const double h = f->last, from = f->t - h;
    if (f->dense_known > whole)
        return 1;
    for (int j = method->stages + 1; j < method->all; j++) {
        const double *weight = method->matrix + j * method->all, at = from + method->node[j] * h;
        weigh(f, h, weight, j, count, f->trial);
        if (!(whole ? mb_flow_rates(f, at, f->trial, rates_of(f, j))
                    : mb_flow_rate(f, at, f->trial, rates_of(f, j))))
            return 0;
    }
    const double *begin = rates_of(f, 0), *end = rates_of(f, method->stages);
    for (int i = 0; i < count; i++) {
        const double moved = f->y[i] - f->step[i];
        f->term[i] = moved;
        f->term[size + i] = h * begin[i] - moved;
        f->term[2 * size + i] = 2 * moved - h * (end[i] + begin[i]);
        for (int k = 3; k < method->terms; k++) {
            double sum = 0;
            for (int j = 0; j < method->all; j++)
                sum += method->dense[(k - 3) * method->all + j] * rates_of(f, j)[i];
            f->term[k * size + i] = h * sum;
        }
    }
    f->dense_known = 1 + whole;
    return 1;
}

/* The first values at a part of the last step, whose interpolant has been made for these. */
void mb_explicit_between(const mb_flow *f, double part, int count, double *to)
{
    const int size = mb_flow_size(f), terms = f->explicit_steps->terms;
    for (int i = 0; i < count; i++) {
        double sum = 0;
        for (int k = terms - 1; k >= 0; k--)
            sum = (sum + f->term[k * size + i]) * (k % 2 ? 1 - part : part);
        to[i] = f->step[i] + sum;
    }
}
