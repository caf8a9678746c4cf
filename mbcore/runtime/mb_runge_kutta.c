/* Explicit Runge-Kutta methods: one way of stepping, and a tableau for each method.
 *
 * Stage i is evaluated at s + h (a[i][0] k[0] + ... + a[i][i-1] k[i-1]) and t + c[i] h; the last
 * row of a gives the new point, whose rate is the next step's first one. Weights of an error estimate
 * are for the stages and, last, for that rate.
 *
 * Order 5: J. R. Dormand, P. J. Prince: A family of embedded Runge-Kutta formulae. J. Comp. Appl.
 * Math. 6 (1980). Order 8: DOP853 of E. Hairer, S. P. Norsett, G. Wanner: Solving Ordinary
 * Differential Equations I, 2nd edition, section II.10, for tight tolerances, where one of its long
 * steps is worth several short ones. Order 4: the classical method, in steps of the size asked for.
 */
#include <math.h>

#include "mb_integrator.h"

static const double A_5[7][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double C_5[6] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1};
static const double E_5[7] = {71.0 / 57600,       0,           -71.0 / 16695, 71.0 / 1920,
                              -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const struct mb_tableau ORDER_5 = {6, &A_5[0][0], C_5, {E_5, NULL}};

static const double A_8[13][12] = {
    {0},
    {0.05260015195876773},
    {0.0197250569845379, 0.0591751709536137},
    {0.02958758547680685, 0, 0.08876275643042054},
    {0.2413651341592667, 0, -0.8845494793282861, 0.924834003261792},
    {0.037037037037037035, 0, 0, 0.17082860872947386, 0.12546768756682242},
    {0.037109375, 0, 0, 0.17025221101954405, 0.06021653898045596, -0.017578125},
    {0.03709200011850479, 0, 0, 0.17038392571223998, 0.10726203044637328,
     -0.015319437748624402, 0.008273789163814023},
    {0.6241109587160757, 0, 0, -3.3608926294469414, -0.868219346841726, 27.59209969944671,
     20.154067550477894, -43.48988418106996},
    {0.47766253643826434, 0, 0, -2.4881146199716677, -0.590290826836843, 21.230051448181193,
     15.279233632882423, -33.28821096898486, -0.020331201708508627},
    {-0.9371424300859873, 0, 0, 5.186372428844064, 1.0914373489967295, -8.149787010746927,
     -18.52006565999696, 22.739487099350505, 2.4936055526796523, -3.0467644718982196},
    {2.273310147516538, 0, 0, -10.53449546673725, -2.0008720582248625, -17.9589318631188,
     27.94888452941996, -2.8589982771350235, -8.87285693353063, 12.360567175794303,
     0.6433927460157636},
    {0.054293734116568765, 0, 0, 0, 0, 4.450312892752409, 1.8915178993145003,
     -5.801203960010585, 0.3111643669578199, -0.1521609496625161, 0.20136540080403034,
     0.04471061572777259}};
static const double C_8[12] = {
    0, 0.05260015195876773, 0.0789002279381516, 0.1183503419072274, 0.2816496580927726,
    0.3333333333333333, 0.25, 0.3076923076923077, 0.6512820512820513, 0.6, 0.8571428571428571,
    1.0};
static const double E_8_FIFTH[13] = {
    0.01312004499419488, 0, 0, 0, 0, -1.2251564463762044, -0.4957589496572502,
    1.6643771824549864, -0.35032884874997366, 0.3341791187130175, 0.08192320648511571,
    -0.022355307863886294};
static const double E_8_THIRD[13] = {
    -0.18980075407240762, 0, 0, 0, 0, 4.450312892752409, 1.8915178993145003,
    -5.801203960010585, -0.4226823213237919, -0.1521609496625161, 0.20136540080403034,
    0.02265179219836082};
static const struct mb_tableau ORDER_8 = {12, &A_8[0][0], C_8, {E_8_FIFTH, E_8_THIRD}};

static const double A_4[5][4] = {
    {0}, {0.5}, {0, 0.5}, {0, 0, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};
static const double C_4[4] = {0, 0.5, 0.5, 1};
static const struct mb_tableau ORDER_4 = {4, &A_4[0][0], C_4, {NULL, NULL}};

/* Adds the weighted stages from `first` on to a sum, for state i. */
static double add_stages(double *const *stage, const double *weight, int first, int end, int i,
                         double sum)
{
    for (int j = first; j < end; j++)
        sum += weight[j] * stage[j][i];
    return sum;
}

static void advance(mb_instance *m, double h, int stage)
{
    const struct mb_tableau *tableau = m->method->tableau;
    const double *weight = tableau->a + stage * tableau->stages, *from = m->accepted.s;
    const int n = m->model->ns;
    double *s = m->now.s;
    int first = 0;
    while (weight[first] == 0)
        first++;
    if (first == stage - 1) /* all stages but the last of the classical method */
        for (int i = 0; i < n; i++)
            s[i] = from[i] + h * (weight[first] * m->stage[first][i]);
    else
        for (int i = 0; i < n; i++)
            s[i] = from[i] + h * add_stages(m->stage, weight, first, stage, i, 0);
}

static double estimate(mb_instance *m, double h, const double *weight)
{
    const int stages = m->method->tableau->stages;
    double *difference = m->stage[MB_STAGES - 1];
    for (int i = 0; i < m->model->ns; i++) {
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

static mb_status attempt(mb_instance *m, double h, double t, double *error)
{
    const struct mb_tableau *tableau = m->method->tableau;
    mb_vary_stage(m, h, 0);
    for (int stage = 1; stage < tableau->stages; stage++) {
        advance(m, h, stage);
        const mb_status status = mb_stage(m, h, tableau->c[stage], m->stage[stage]);
        if (status)
            return status;
        mb_vary_stage(m, h, stage);
    }
    advance(m, h, tableau->stages);
    mb_vary_end(m, h, t);
    *error = 0;
    if (!m->method->adaptive) { /* the rate there is the next step's, with other inputs perhaps */
        mb_go_to(m, t);
        return mb_configure(m);
    }
    const mb_status status = mb_arrive(m, t);
    if (!status)
        *error = estimated_error(m, h);
    return status;
}

const mb_method mb_runge_kutta = {attempt, NULL, 1, 1.0 / 5, 0.04, &ORDER_5};
const mb_method mb_runge_kutta_8 = {attempt, NULL, 1, 1.0 / 8, 0, &ORDER_8};
const mb_method mb_fixed_step = {attempt, NULL, 0, 0, 0, &ORDER_4};
