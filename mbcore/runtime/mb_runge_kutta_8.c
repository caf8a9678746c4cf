/* The method of order 8 of Dormand and Prince in Hairer's form, DOP853, with two error estimates
 * of orders 5 and 3.
 *
 * E. Hairer, S. P. Norsett, G. Wanner: Solving Ordinary Differential Equations I, 2nd edition,
 * section II.10. For tight tolerances, where one of its long steps is worth several short ones.
 */
#include <math.h>

#include "mb_integrator.h"

enum { STAGES = 12 };

/* The last row gives the new point. */
static const double A[STAGES + 1][STAGES] = {
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
static const double C[STAGES] = {
    0, 0.05260015195876773, 0.0789002279381516, 0.1183503419072274, 0.2816496580927726,
    0.3333333333333333, 0.25, 0.3076923076923077, 0.6512820512820513, 0.6, 0.8571428571428571,
    1.0};
static const double E3[STAGES] = {
    -0.18980075407240762, 0, 0, 0, 0, 4.450312892752409, 1.8915178993145003,
    -5.801203960010585, -0.4226823213237919, -0.1521609496625161, 0.20136540080403034,
    0.02265179219836082};
static const double E5[STAGES] = {
    0.01312004499419488, 0, 0, 0, 0, -1.2251564463762044, -0.4957589496572502,
    1.6643771824549864, -0.35032884874997366, 0.3341791187130175, 0.08192320648511571,
    -0.022355307863886294};

static void advance(mb_instance *m, double h, int stage)
{
    for (int i = 0; i < m->model->ns; i++) {
        double slope = 0;
        for (int j = 0; j < stage; j++)
            slope += A[stage][j] * m->stage[j][i];
        m->now.s[i] = m->accepted.s[i] + h * slope;
    }
}

static double estimate(mb_instance *m, double h, const double *weight)
{
    double *difference = m->stage[STAGES];
    for (int i = 0; i < m->model->ns; i++) {
        double sum = 0;
        for (int j = 0; j < STAGES; j++)
            sum += weight[j] * m->stage[j][i];
        difference[i] = h * sum;
    }
    return mb_error_norm(m, difference);
}

static mb_status attempt(mb_instance *m, double h, double t, double *error)
{
    mb_status status = MB_OK;
    for (int stage = 1; !status && stage < STAGES; stage++) {
        advance(m, h, stage);
        status = mb_stage(m, h, C[stage], m->stage[stage]);
    }
    if (status)
        return status;
    advance(m, h, STAGES);
    status = mb_arrive(m, t);
    if (status)
        return status;
    const double fifth = estimate(m, h, E5), third = estimate(m, h, E3);
    const double both = sqrt(fifth * fifth + 0.01 * third * third);
    *error = both > 0 ? fifth * fifth / both : 0;
    return MB_OK;
}

const mb_method mb_runge_kutta_8 = {attempt, NULL, 1, 1.0 / 8, 0};
