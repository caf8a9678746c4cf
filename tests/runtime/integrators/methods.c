/* Integration methods on closed forms. A method of order p is exact, but for rounding, where the
 * solution is a polynomial of degree p in time: that tests each condition on its coefficients to the
 * last digits. Halving steps tests the order where the solution is none. */
#include "model.h"

#include <stdio.h>

typedef const mb_method *method;

/* Chains of powers: s0' = t^a, s1' = t^b s0, s2' = t^c s1, s3' = t^d s2, with exponents as
 * parameters 0 to 3, and one tree that branches: s4' = s0^e. From zero, all are powers of t. */
enum { CHAIN = 4, STATES = 5, POWERS = 5 };

static double power(double base, double exponent)
{
    double product = 1;
    for (int k = 0; k < exponent; k++)
        product *= base;
    return product;
}

FUNCTION(chain_rates)
{
    for (int i = 0; i < CHAIN; i++)
        res[0][i] = power(arg[T][0], arg[P][i]) * (i > 0 ? arg[S][i - 1] : 1);
    res[0][CHAIN] = power(arg[S][0], arg[P][CHAIN]);
}

FUNCTION(chain_tangent)
{
    const double t = arg[T][0], by_time = arg[EXTRA][STATES];
    for (int i = 0; i < CHAIN; i++) {
        const double n = arg[P][i], rate = n > 0 ? n * power(t, n - 1) : 0;
        res[0][i] = rate * (i > 0 ? arg[S][i - 1] : 1) * by_time;
        if (i > 0)
            res[0][i] += power(t, n) * arg[EXTRA][i - 1];
    }
    const double e = arg[P][CHAIN];
    res[0][CHAIN] = e > 0 ? e * power(arg[S][0], e - 1) * arg[EXTRA][0] : 0;
}

static mb_model *chain(const double *exponents)
{
    mb_model *model = make_model((mb_model){
        .ns = STATES, .np = POWERS, .derivative.call = chain_rates, .change.call = chain_tangent});
    for (int i = 0; i < POWERS; i++)
        variable(model, MB_PARAMETER, i)->start = exponents[i];
    return model;
}

/* Integrates with the given exponents and compares all powers of degree `order` at most. */
static void compare_chain(method method, int order, const double *exponents)
{
    static mb_model *model;
    const double end = 1.25;
    char what[80];
    if (!model)
        model = chain(exponents);
    for (int i = 0; i < POWERS; i++)
        variable(model, MB_PARAMETER, i)->start = exponents[i];
    mb_instance *m = integrate(model, method, end, 1);
    double right = 1, degree = 0;
    for (int i = 0; i < CHAIN; i++) {
        degree += exponents[i] + 1;
        right /= degree;
        snprintf(what, sizeof what, "chain of %d, degree %g", i + 1, degree);
        if (degree <= order)
            near(m->now.s[i], right * power(end, degree), 2e-13, what);
    }
    degree = exponents[CHAIN] * (exponents[0] + 1) + 1;
    right = power(1 / (exponents[0] + 1), exponents[CHAIN]) / degree;
    snprintf(what, sizeof what, "tree, degree %g", degree);
    if (degree <= order)
        near(m->now.s[CHAIN], right * power(end, degree), 2e-13, what);
    mb_free(m);
}

static void compare_polynomials(method method, int order)
{
    for (int a = 0; a < order; a++)
        for (int b = 0; b < 4; b++)
            for (int c = 0; c < 3; c++) {
                const double exponents[POWERS] = {a, b, c, (a + b + c) % 2, b};
                compare_chain(method, order, exponents);
            }
}

CHECK(order_5_is_exact_for_polynomials_of_degree_5) { compare_polynomials(&mb_method_RK45, 5); }
CHECK(order_8_is_exact_for_polynomials_of_degree_8) { compare_polynomials(&mb_method_DOP853, 8); }
CHECK(rosenbrock_is_exact_for_polynomials_of_degree_4) { compare_polynomials(&mb_method_rosenbrock, 4); }
CHECK(rodas5p_is_exact_for_polynomials_of_degree_5) { compare_polynomials(&mb_method_Rodas5P, 5); }
CHECK(fixed_steps_are_exact_for_polynomials_of_degree_4) { compare_polynomials(&mb_method_classical, 4); }

/* A Kepler ellipse of eccentricity 0.1, from its pericentre to the eccentric anomaly 4. */
FUNCTION(kepler_rates)
{
    const double *s = arg[S], r = hypot(s[2], s[3]);
    res[0][0] = -s[2] / (r * r * r);
    res[0][1] = -s[3] / (r * r * r);
    res[0][2] = s[0];
    res[0][3] = s[1];
}

FUNCTION(kepler_tangent)
{
    const double *s = arg[S], *ds = arg[EXTRA], r = hypot(s[2], s[3]);
    const double along = 3 * (s[2] * ds[2] + s[3] * ds[3]) / (r * r);
    res[0][0] = (along * s[2] - ds[2]) / (r * r * r);
    res[0][1] = (along * s[3] - ds[3]) / (r * r * r);
    res[0][2] = ds[0];
    res[0][3] = ds[1];
}

/* s' = s cos(t), whose solution is exp(sin(t)): time enters the right-hand side. */
FUNCTION(swell_rates) { res[0][0] = arg[S][0] * cos(arg[T][0]); }

FUNCTION(swell_tangent)
{
    const double t = arg[T][0];
    res[0][0] = cos(t) * arg[EXTRA][0] - arg[S][0] * sin(t) * arg[EXTRA][1];
}

/* s' = -40 (s - cos(3 t)) - 3 sin(3 t), whose solution from 1 is cos(3 t): stiff beside long steps. */
FUNCTION(stiff_rates)
{
    const double t = arg[T][0];
    res[0][0] = -40 * (arg[S][0] - cos(3 * t)) - 3 * sin(3 * t);
}

FUNCTION(stiff_tangent)
{
    const double t = arg[T][0];
    res[0][0] = -40 * arg[EXTRA][0] - (120 * sin(3 * t) + 9 * cos(3 * t)) * arg[EXTRA][1];
}

static double kepler_error(method method, int steps)
{
    const double e = 0.1, E = 4, minor = sqrt(1 - e * e), rate = 1 / (1 - e * cos(E));
    const double right[] = {-sin(E) * rate, minor * cos(E) * rate, cos(E) - e, minor * sin(E)};
    const double pericentre[] = {0, sqrt((1 + e) / (1 - e)), 1 - e, 0};
    mb_model *model = make_model(
        (mb_model){.ns = 4, .derivative.call = kepler_rates, .change.call = kepler_tangent});
    for (int i = 0; i < 4; i++)
        variable(model, MB_STATE, i)->start = pericentre[i];
    mb_instance *m = integrate(model, method, E - e * sin(E), steps);
    double largest = 0;
    for (int i = 0; i < 4; i++)
        largest = fmax(largest, fabs(m->now.s[i] - right[i]));
    mb_free(m);
    return largest;
}

static double time_error(mb_call rates, mb_call tangent, double right, method method, int steps)
{
    mb_model *model =
        make_model((mb_model){.ns = 1, .derivative.call = rates, .change.call = tangent});
    variable(model, MB_STATE, 0)->start = 1;
    mb_instance *m = integrate(model, method, 2.5, steps);
    const double error = fabs(m->now.s[0] - right);
    mb_free(m);
    return error;
}

/* Each of three states is the rate of another one, in a circle: from 1 they are exp(t). */
FUNCTION(circle_rates)
{
    for (int i = 0; i < 3; i++)
        res[0][i] = arg[S][(i + 2) % 3];
}

FUNCTION(circle_tangent)
{
    for (int i = 0; i < 3; i++)
        res[0][i] = arg[EXTRA][(i + 2) % 3];
}

static double circle_error(method method, int steps)
{
    mb_model *model =
        make_model((mb_model){.ns = 3, .derivative.call = circle_rates, .change.call = circle_tangent});
    for (int i = 0; i < 3; i++)
        variable(model, MB_STATE, i)->start = 1;
    mb_instance *m = integrate(model, method, 1, steps);
    double largest = 0;
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, fabs(m->now.s[i] - exp(1)));
    mb_free(m);
    return largest;
}

static double swell_error(method method, int steps)
{
    return time_error(swell_rates, swell_tangent, exp(sin(2.5)), method, steps);
}

static double stiff_error(method method, int steps)
{
    return time_error(stiff_rates, stiff_tangent, cos(7.5), method, steps);
}

typedef double (*experiment)(method method, int steps);

/* By halving the steps; errors must be small, too, and above rounding. */
static void has_order(experiment error, method method, int order, int steps, double smallest)
{
    const double coarse = error(method, steps), fine = error(method, 2 * steps);
    expect(fine > 1e-14 && fine < smallest, "the error %.3g is not within its bounds", fine);
    near(log2(coarse / fine), order, 0.3, "order");
}

CHECK(order_5_on_an_ellipse) { has_order(kepler_error, &mb_method_RK45, 5, 160, 1e-9); }
CHECK(order_8_on_an_ellipse) { has_order(kepler_error, &mb_method_DOP853, 8, 24, 1e-12); }
CHECK(rosenbrock_order_4_on_an_ellipse) { has_order(kepler_error, &mb_method_rosenbrock, 4, 400, 1e-9); }
CHECK(rodas5p_order_5_on_an_ellipse) { has_order(kepler_error, &mb_method_Rodas5P, 5, 160, 1e-9); }
CHECK(fixed_steps_order_4_on_an_ellipse) { has_order(kepler_error, &mb_method_classical, 4, 100, 1e-6); }
CHECK(order_5_with_explicit_time) { has_order(swell_error, &mb_method_RK45, 5, 16, 1e-7); }
CHECK(order_8_with_explicit_time) { has_order(swell_error, &mb_method_DOP853, 8, 8, 1e-11); }
CHECK(rosenbrock_order_4_with_explicit_time) { has_order(swell_error, &mb_method_rosenbrock, 4, 256, 1e-9); }
CHECK(rodas5p_order_5_with_explicit_time) { has_order(swell_error, &mb_method_Rodas5P, 5, 64, 1e-9); }
CHECK(rosenbrock_order_4_where_each_state_is_the_rate_of_another)
{
    has_order(circle_error, &mb_method_rosenbrock, 4, 16, 1e-6);
}
CHECK(fixed_steps_order_4_with_explicit_time)
{
    has_order(swell_error, &mb_method_classical, 4, 32, 1e-6);
}
CHECK(rosenbrock_order_4_on_a_stiff_problem)
{
    has_order(stiff_error, &mb_method_rosenbrock, 4, 400, 1e-8);
}

/* Its stability function agrees with the exponential up to the sixth power, by its coefficients. */
CHECK(rodas5p_order_6_where_each_state_is_the_rate_of_another)
{
    has_order(circle_error, &mb_method_Rodas5P, 6, 8, 1e-6);
}
CHECK(rodas5p_order_5_on_a_stiff_problem)
{
    has_order(stiff_error, &mb_method_Rodas5P, 5, 400, 1e-8);
}

/* A mode that decays within a thousandth of a step is gone after it (L-stability). */
FUNCTION(decay_rates) { res[0][0] = -1e6 * arg[S][0]; }
FUNCTION(decay_tangent) { res[0][0] = -1e6 * arg[EXTRA][0]; }

static void forgets(method method)
{
    mb_model *model =
        make_model((mb_model){.ns = 1, .derivative.call = decay_rates, .change.call = decay_tangent});
    variable(model, MB_STATE, 0)->start = 1;
    mb_instance *m = integrate(model, method, 1, 1);
    near(m->now.s[0], 0, 1e-4, "what is left");
    mb_free(m);
}

CHECK(rosenbrock_forgets_what_decays_fast) { forgets(&mb_method_rosenbrock); }
CHECK(rodas5p_forgets_what_decays_fast) { forgets(&mb_method_Rodas5P); }
