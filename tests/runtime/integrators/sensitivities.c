/* Sensitivities over a doStep, against closed forms: s0' = -p s0 + u, by the classical method of order
 * 4 whose step of length h multiplies by R(z) = 1 + z + z^2/2 + z^3/6 + z^4/24, z = -p h. */
#include "model.h"

static const int PLACES[] = {0, 2, 3}; /* in (s, t, u, p) */

FUNCTION(rates) { res[0][0] = -arg[P][0] * arg[S][0] + arg[U][0]; }

FUNCTION(change)
{
    const double *by = arg[EXTRA];
    res[0][0] = -arg[P][0] * by[0] + by[2] - arg[S][0] * by[3];
}

static double factor(double z) { return 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))); }

static double slope(double z) { return 1 + z * (1 + z / 2 * (1 + z / 3)); }

static mb_instance *decay(int method)
{
    mb_model *model = make_model((mb_model){.ns = 1,
                                            .nu = 1,
                                            .np = 1,
                                            .varied = 3,
                                            .varied_place = PLACES,
                                            .derivative.call = rates,
                                            .change.call = change});
    variable(model, MB_STATE, 0)->start = 3;
    variable(model, MB_PARAMETER, 0)->start = 2;
    solver(model, 2)->start = 0.1; /* step of the method */
    return start(model, method, 1e-6);
}

static double sensitivity(mb_instance *m, int k, mb_status expected)
{
    const mb_variable v = {.name = "sensitivity", .kind = MB_SENSITIVITY, .index = k};
    double value;
    expect(mb_get_sensitivity(m, &v, &value) == expected, "%s", m->message);
    return value;
}

CHECK(sensitivities_are_those_of_the_discrete_method)
{
    const double h = 0.1, p = 2, z = -p * h;
    mb_instance *m = decay(MB_METHOD_classical);
    sensitivity(m, 0, MB_DISCARD);
    step_to(m, 0.2, 1); /* two steps of the method */
    const double R = factor(z), after = 3 * R;
    near(m->now.s[0], after * R, 1e-14, "state");
    near(sensitivity(m, 0, MB_OK), R * R, 1e-14, "by the state");
    near(sensitivity(m, 1, MB_OK), (R * R - 1) / -p, 1e-14, "by the input");
    near(sensitivity(m, 2, MB_OK), -h * slope(z) * (3 * R + after), 1e-14, "by the parameter");
    step_to(m, 0.3, 1); /* begins anew */
    near(sensitivity(m, 0, MB_OK), R, 1e-14, "by the state");
    mb_free(m);
}

CHECK(sensitivities_of_adaptive_steps_are_near_the_solution_s)
{
    mb_instance *m = decay(MB_METHOD_RK45);
    step_to(m, 1, 1);
    near(sensitivity(m, 0, MB_OK), exp(-2), 1e-5, "by the state");
    near(sensitivity(m, 1, MB_OK), (1 - exp(-2)) / 2, 1e-5, "by the input");
    near(sensitivity(m, 2, MB_OK), -3 * exp(-2), 1e-4, "by the parameter");
    mb_free(m);
}

CHECK(there_is_no_sensitivity_where_the_method_takes_a_jacobian)
{
    mb_instance *m = decay(MB_METHOD_rosenbrock);
    step_to(m, 0.1, 1);
    sensitivity(m, 0, MB_DISCARD);
    says(m, "runge_kutta or fixed_step");
    mb_free(m);
}

CHECK(there_is_no_sensitivity_while_inputs_move)
{
    mb_instance *m = decay(MB_METHOD_classical);
    mb_set_input_derivative(m, reference(tested_model, MB_INPUT, 0), 1, 0.5);
    step_to(m, 0.1, 1);
    sensitivity(m, 0, MB_DISCARD);
    says(m, "inputs that change on the way");
    step_to(m, 0.2, 1); /* held again */
    near(sensitivity(m, 0, MB_OK), factor(-0.2), 1e-14, "by the state");
    mb_free(m);
}

/* s0' = -7 p t^6 s0, nearly at rest at first: the steps that this suggests are refused. */
FUNCTION(late_rates) { res[0][0] = -7 * arg[P][0] * pow(arg[T][0], 6) * arg[S][0]; }

FUNCTION(late_change)
{
    const double *by = arg[EXTRA];
    res[0][0] = -7 * pow(arg[T][0], 6) * (arg[P][0] * by[0] + arg[S][0] * by[3]);
}

CHECK(sensitivities_begin_anew_after_a_refused_step)
{
    const double T_END = 1.1, p = 2, s = 3 * exp(-p * pow(T_END, 7));
    mb_model *model = make_model((mb_model){.ns = 1,
                                            .nu = 1,
                                            .np = 1,
                                            .varied = 3,
                                            .varied_place = PLACES,
                                            .derivative.call = late_rates,
                                            .change.call = late_change});
    variable(model, MB_STATE, 0)->start = 3;
    variable(model, MB_PARAMETER, 0)->start = p;
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-9);
    step_to(m, T_END, 1);
    near(m->now.s[0], s, 1e-7, "state");
    near(sensitivity(m, 0, MB_OK), s / 3, 1e-7, "by the state");
    near(sensitivity(m, 2, MB_OK), -pow(T_END, 7) * s, 1e-6, "by the parameter");
    mb_free(m);
}
