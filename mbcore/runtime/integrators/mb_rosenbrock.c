/* Steps of stiffly accurate (hence L-stable) Rosenbrock methods, for the exact Jacobian.
 *
 * E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, section IV.7. The last stage is the error
 * of the embedded solution, whose order is one less.
 */
#include <math.h>
#include <string.h>

#include "mb_integrator.h"
#include "mb_rodas.h"

/* The values among the states whose rate is another state: half of them in most mechanisms. Their rows of
 * the Jacobian tell, and their unknowns follow from those of their rates. */
static void find_values(mb_instance *m)
{
    const int n = MB_MODEL->ns;
    int *rate_of = m->rate_of; /* which state is it, -1 where none is */
    for (int i = 0; i < n; i++)
        rate_of[i] = -1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double entry = m->jacobian[j * n + i];
            if (entry != 0) /* -2: it is no single one */
                rate_of[i] = rate_of[i] == -1 && entry == 1 && i != j ? j : -2;
        }
    /* a rate that is itself such a value has to stay */
    for (int i = 0; i < n; i++)
        if (rate_of[i] >= 0 && rate_of[rate_of[i]] >= 0)
            rate_of[rate_of[i]] = -2;
    m->unknowns = 0;
    for (int i = 0; i < n; i++)
        if (rate_of[i] < 0)
            m->unknown[m->unknowns++] = i;
}

/* The Jacobian, at once or column by column from directional derivatives, and the derivative in time,
 * which contains that of inputs that change within the step. */
static mb_status prepare(mb_instance *m)
{
    const int n = MB_MODEL->ns, nu = MB_MODEL->nu;
    const int at_once = MB_MODEL->jacobian.call != NULL;
    double *input_change = m->variation + n + 1;
    if (at_once)
        mb_run(m, &MB_MODEL->jacobian, &m->now, m->jacobian, NULL);
    for (int i = at_once ? n : 0; i <= n; i++) {
        if (i == n && m->input_mode == MB_INPUTS_REQUESTED)
            mb_estimate_input_rates(m, fmin(m->step_size.next > 0 ? m->step_size.next : INFINITY,
                                            m->update_until - m->now.t));
        if (i == n && m->input_mode)
            mb_input_rates(m, input_change);
        m->variation[i] = 1;
        mb_run_change(m, &m->now, i < n ? m->jacobian + i * n : m->time_derivative, NULL);
        m->variation[i] = 0;
    }
    for (int i = 0; i < nu; i++)
        input_change[i] = 0;
    if (mb_all_finite(m->jacobian, n * n) && mb_all_finite(m->time_derivative, n)) {
        find_values(m);
        return MB_OK;
    }
    return mb_fail(m,
                   "the Jacobian is not finite at t = %.9g s: the configuration is singular or a "
                   "value is out of its physical range; check states, inputs and parameters",
                   m->now.t);
}

/* I / (h gamma) - J without these values: their columns, times h gamma, are added to those of their rates. */
static mb_status factorize(mb_instance *m, double h)
{
    const int n = MB_MODEL->ns, k = m->unknowns, *unknown = m->unknown;
    const double step = h * m->method->rosenbrock->gamma;
    m->work += (double)k * k * k / 3;
    for (int b = 0; b < k; b++) {
        const double *column = m->jacobian + unknown[b] * n;
        double *to = m->factors + b * k;
        for (int a = 0; a < k; a++)
            to[a] = -column[unknown[a]];
        to[b] += 1 / step;
        m->pivot[unknown[b]] = b;
    }
    for (int i = 0; i < n; i++)
        if (m->rate_of[i] >= 0) {
            const double *column = m->jacobian + i * n;
            double *to = m->factors + m->pivot[m->rate_of[i]] * k;
            for (int a = 0; a < k; a++)
                to[a] -= step * column[unknown[a]];
        }
    if (mb_factorize(m->factors, m->pivot, k))
        return MB_OK;
    return mb_fail(m,
                   "the matrix of the rosenbrock method is singular at t = %.9g s; check states, "
                   "inputs and parameters",
                   m->accepted.t);
}

/* Replaces b by the solution. */
static void solve(mb_instance *m, double h, double *b)
{
    const int n = MB_MODEL->ns, k = m->unknowns, *unknown = m->unknown;
    const double step = h * m->method->rosenbrock->gamma;
    double *right = m->unknown_change;
    for (int a = 0; a < k; a++)
        right[a] = b[unknown[a]];
    for (int i = 0; i < n; i++)
        if (m->rate_of[i] >= 0) {
            const double *column = m->jacobian + i * n;
            for (int a = 0; a < k; a++)
                right[a] += column[unknown[a]] * (step * b[i]);
        }
    mb_solve(m->factors, m->pivot, right, k);
    for (int a = 0; a < k; a++)
        b[unknown[a]] = right[a];
    for (int i = 0; i < n; i++)
        if (m->rate_of[i] >= 0)
            b[i] = step * (b[i] + b[m->rate_of[i]]);
}

/* Adds weighted vectors, one after another. */
static void add(double *restrict to, double *const *vector, const double *weight, int vectors)
{
    for (int j = 0; j < vectors; j++) {
        const double *restrict added = vector[j], factor = weight[j];
        for (int i = 0; i < MB_MODEL->ns; i++)
            to[i] += factor * added[i];
    }
}

/* The state at which a stage's derivative is taken. */
static void advance_rosenbrock(mb_instance *m, int stage)
{
    const struct mb_rosenbrock *method = m->method->rosenbrock;
    double *sum = m->unknown_change;
    memset(sum, 0, (size_t)MB_MODEL->ns * sizeof(double));
    add(sum, m->stage + 1, method->a + stage * method->stages, stage);
    for (int i = 0; i < MB_MODEL->ns; i++)
        m->now.s[i] = m->accepted.s[i] + sum[i];
}

/* The right-hand side of a stage, whose rate is there, and its solution. */
static void finish_stage(mb_instance *m, double h, int stage)
{
    const struct mb_rosenbrock *method = m->method->rosenbrock;
    double *const *U = m->stage + 1, *sum = m->unknown_change, weight[MB_STAGES];
    for (int i = 0; i < MB_MODEL->ns; i++)
        sum[i] = h * method->d[stage] * m->time_derivative[i];
    for (int j = 0; j < stage; j++)
        weight[j] = method->b[stage * method->stages + j] / h;
    add(sum, U, weight, stage);
    for (int i = 0; i < MB_MODEL->ns; i++)
        U[stage][i] += sum[i];
    solve(m, h, U[stage]);
}

static mb_status attempt_rosenbrock(mb_instance *m, double h, double t, double *error)
{
    const int n = MB_MODEL->ns, stages = m->method->rosenbrock->stages;
    double *const *U = m->stage + 1; /* stage[0] is the rate at the beginning */
    mb_status status = factorize(m, h);
    for (int stage = 0; !status && stage < stages; stage++) {
        if (stage > 0) {
            advance_rosenbrock(m, stage);
            status = mb_stage(m, h, m->method->rosenbrock->c[stage], U[stage]);
        } else if (n > 0)
            memcpy(U[0], m->stage[0], (size_t)n * sizeof(double));
        if (!status)
            finish_stage(m, h, stage);
    }
    if (status)
        return status;
    const double *correction = U[stages - 1]; /* now.s is the embedded solution */
    for (int i = 0; i < n; i++)
        m->now.s[i] += correction[i];
    status = mb_arrive(m, t);
    if (!status)
        *error = mb_implicit_error_norm(m, h, correction);
    return status;
}

const mb_method mb_method_rosenbrock = {
    attempt_rosenbrock, prepare, 1, 1.0 / 4, 0, NULL, &RODAS, MB_DENSE_RODAS};
const mb_method mb_method_Rodas5P = {
    attempt_rosenbrock, prepare, 1, 1.0 / 5, 0, NULL, &RODAS5P, MB_DENSE_RODAS};
