/* RODAS, a stiffly accurate (hence L-stable) Rosenbrock method of order 4 with an error estimate
 * of order 3, for the exact Jacobian.
 *
 * E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, section IV.7, in the form
 * without products with the Jacobian: (I / (h gamma) - J) U_i = right-hand side.
 */
#include <math.h>
#include <string.h>

#include "mb_integrator.h"


static const double RODAS_GAMMA = 0.25;
static const double RODAS_A[MB_ROSENBROCK_STAGES][MB_ROSENBROCK_STAGES - 1] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
static const double RODAS_B[MB_ROSENBROCK_STAGES][MB_ROSENBROCK_STAGES - 1] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054}};
static const double RODAS_C[MB_ROSENBROCK_STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double RODAS_D[MB_ROSENBROCK_STAGES] = {0.25, -0.1043, 0.1035, -0.03620000000000023, 0, 0};

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
    const double step = h * RODAS_GAMMA;
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
    const double step = h * RODAS_GAMMA;
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

/* The state at which a stage's derivative is taken; after the last stage, the new state. */
static void advance_rosenbrock(mb_instance *m, int stage)
{
    for (int i = 0; i < MB_MODEL->ns; i++) {
        double sum = 0;
        for (int j = 0; j < stage; j++)
            sum += RODAS_A[stage][j] * m->stage[j + 1][i];
        m->now.s[i] = m->accepted.s[i] + sum;
    }
}

static mb_status attempt_rosenbrock(mb_instance *m, double h, double t, double *error)
{
    const int n = MB_MODEL->ns;
    double *const *U = m->stage + 1; /* stage[0] is the rate at the beginning */
    mb_status status = factorize(m, h);
    for (int stage = 0; !status && stage < MB_ROSENBROCK_STAGES; stage++) {
        if (stage > 0) {
            advance_rosenbrock(m, stage);
            status = mb_stage(m, h, RODAS_C[stage], U[stage]);
        } else if (n > 0)
            memcpy(U[0], m->stage[0], (size_t)n * sizeof(double));
        if (status)
            return status;
        for (int i = 0; i < n; i++) {
            double sum = h * RODAS_D[stage] * m->time_derivative[i];
            for (int j = 0; j < stage; j++)
                sum += RODAS_B[stage][j] / h * U[j][i];
            U[stage][i] += sum;
        }
        solve(m, h, U[stage]);
    }
    if (status)
        return status;
    const double *correction = U[MB_ROSENBROCK_STAGES - 1]; /* now.s is the embedded solution of order 3 */
    for (int i = 0; i < n; i++)
        m->now.s[i] += correction[i];
    status = mb_arrive(m, t);
    if (!status)
        *error = mb_implicit_error_norm(m, h, correction);
    return status;
}

const mb_method mb_method_rosenbrock = {attempt_rosenbrock, prepare, 1, 1.0 / 4, 0, NULL, MB_DENSE_RODAS};
