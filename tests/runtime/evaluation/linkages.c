/* The position problem: branches, far ways, rounding. */
#include "model.h"

static const double PI = 3.14159265358979323846;

/* A crank pin (x0, x1) at a distance of p0 from the axle, which is p1 away from the origin, and an
 * angle that the state decides: the opposite point satisfies both conditions just as well. */
static double (*crank_angle)(double s);

static double as_it_is(double s) { return s; }
static double there_and_back(double s) { return PI * s * (3 - 2 * s); } /* pi at 1/2 and at 1 */

FUNCTION(crank_newton)
{
    const double x = arg[X][0] - arg[P][1], y = arg[X][1], q = crank_angle(arg[S][0]);
    const double r = hypot(x, y), along = r - arg[P][0], across = cos(q) * y - sin(q) * x;
    const double det = (x * cos(q) + y * sin(q)) / r;
    res[0][0] = arg[X][0] - (cos(q) * along - y / r * across) / det;
    res[0][1] = arg[X][1] - (sin(q) * along + x / r * across) / det;
    res[1][0] = along;
    res[1][1] = across;
}

FUNCTION(crank_conditioning)
{
    const double x = arg[X][0] - arg[P][1], y = arg[X][1], q = crank_angle(arg[S][0]);
    res[0][0] = (x * cos(q) + y * sin(q)) / hypot(x, y);
}

FUNCTION(crank_start)
{
    res[1][0] = res[1][1] = arg[P][0];
    res[0][0] = arg[P][0] + arg[P][1];
    res[0][1] = 0;
}

static mb_model *crank(double length)
{
    mb_model *model = make_model((mb_model){.nx = 2, .nc = 2, .ns = 1, .np = 2, .nr = 1,
                                            .newton.call = crank_newton,
                                            .conditioning.call = crank_conditioning,
                                            .start.call = crank_start});
    variable(model, MB_PARAMETER, 0)->start = length;
    crank_angle = as_it_is;
    return model;
}

/* The configuration at a state, reached from the accepted one. */
static mb_status go(mb_instance *m, double s)
{
    m->now.s[0] = s;
    m->fresh = 0;
    return mb_configure(m);
}

static void is_at(mb_instance *m, double angle)
{
    near(m->now.x[0], cos(angle), 1e-14, "x");
    near(m->now.x[1], sin(angle), 1e-14, "y");
}

CHECK(a_far_turn_of_a_crank_ends_on_its_branch)
{
    const double targets[] = {0.3, 1, 2, PI, -PI, 3 * PI, 4 * PI, 5, -7, 30};
    mb_instance *m = start(crank(1), MB_METHOD_RK45, 1e-6);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        expect(!go(m, targets[i]), "%s", m->message);
        is_at(m, targets[i]);
    }
    mb_free(m);
}

CHECK(substeps_do_not_change_the_branch_either)
{
    mb_model *model = crank(1);
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6);
    crank_angle = there_and_back;
    expect(!go(m, 1), "%s", m->message);
    is_at(m, PI);
    mb_free(m);
}

CHECK(initial_values_do_not_choose_another_branch)
{
    mb_model *model = crank(1);
    mb_instance *m = create(model, MB_CO_SIMULATION);
    m->now.s[0] = PI; /* where the first guess satisfies everything, the wrong way round */
    initialize(m);
    is_at(m, PI);
    mb_free(m);
}

/* A hinge's angle x follows the state: sin(x - s) = 0 holds after each half turn as well, and after
 * each whole one on the same branch. */
FUNCTION(hinge_newton)
{
    res[0][0] = arg[X][0] - tan(arg[X][0] - arg[S][0]);
    res[1][0] = sin(arg[X][0] - arg[S][0]);
}

FUNCTION(hinge_conditioning) { res[0][0] = cos(arg[X][0] - arg[S][0]); }

CHECK(a_jump_that_needs_the_long_way)
{
    mb_instance *m = start(make_model((mb_model){.nx = 1, .nc = 1, .ns = 1, .nr = 1,
                                                 .newton.call = hinge_newton,
                                                 .conditioning.call = hinge_conditioning}),
                           MB_METHOD_RK45, 1e-6);
    const double targets[] = {1.2, 1.8, -1.8, 2.2, 2.5, 4, -4.2, 5.5};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        expect(!go(m, targets[i]), "%s", m->message);
        near(m->now.x[0], targets[i], 1e-13, "angle");
    }
    mb_free(m);
}

/* 1,000 starts near the solution, and 1,000 accepted configurations before. */
static void forgets_the_start(double length, double axle, double angle)
{
    double right[2];
    mb_model *model = crank(length);
    variable(model, MB_PARAMETER, 1)->start = axle;
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6);
    expect(!go(m, angle), "%s", m->message);
    memcpy(right, m->now.x, sizeof right);
    near(hypot(right[0] - axle, right[1]) / length, 1, 4e-16 * (1 + axle / length), "length");
    for (int trial = 0; trial < 1000; trial++) {
        const double size = pow(10, random_between(-12, -1.7));
        for (int i = 0; i < 2; i++)
            m->now.x[i] = right[i] + length * size * random_between(-1, 1);
        expect(mb_converge(m, &m->now), "a start %g away is too far", size);
        same_bytes(m->now.x, right, 2, "from nearby");
    }
    for (int trial = 0; trial < 1000; trial++) {
        expect(!go(m, angle + random_between(-1, 1)) && !mb_accept(m), "%s", m->message);
        expect(!go(m, angle), "%s", m->message);
        same_bytes(m->now.x, right, 2, "from another angle");
    }
    mb_free(m);
}

CHECK(a_configuration_depends_on_the_point_alone)
{
    forgets_the_start(1, 0, 0.7);
    forgets_the_start(1, 0, 2.9);
}

CHECK(so_does_that_of_a_small_mechanism) { forgets_the_start(1.3e-3, 0, 0.7); }
CHECK(so_does_that_of_a_large_mechanism) { forgets_the_start(700, 0, -2); }
CHECK(so_does_that_of_one_far_away) { forgets_the_start(1, 1e7, 0.7); }

CHECK(scales_are_powers_of_two)
{
    const double lengths[] = {1, 1.3e-3, 700}, scales[] = {1, 1.0 / 1024, 512};
    for (int i = 0; i < 3; i++) {
        mb_instance *m = start(crank(lengths[i]), MB_METHOD_RK45, 1e-6);
        near(m->scale[0], scales[i], 0, "scale");
        near(m->per_scale[1] * scales[i], 1, 0, "scale times its inverse");
        mb_free(m);
    }
}

/* The iterated coordinate's condition holds the one that follows: x1 = 2 sin x0, x0 + x1^2 / 4 = s,
 * both made linear where everything was. */
FUNCTION(pair_newton)
{
    const double *x = arg[X], slope = 2 * cos(x[0]), lag = 2 * sin(x[0]) - x[1];
    const double residual = x[0] + x[1] * x[1] / 4 - arg[S][0];
    const double step = -(residual + x[1] / 2 * lag) / (1 + x[1] / 2 * slope);
    res[0][0] = x[0] + step;
    res[0][1] = x[1] + lag + slope * step;
    res[1][0] = residual;
}

FUNCTION(pair_place)
{
    res[0][0] = arg[X][0];
    res[0][1] = 2 * sin(arg[X][0]);
}

CHECK(what_follows_forgets_its_start_too)
{
    double right[2];
    mb_instance *m = start(make_model((mb_model){.nx = 2, .ni = 1, .nc = 1, .ns = 1, .nr = 1,
                                                 .newton.call = pair_newton,
                                                 .place.call = pair_place}),
                           MB_METHOD_RK45, 1e-6);
    expect(!go(m, 0.8), "%s", m->message);
    memcpy(right, m->now.x, sizeof right);
    near(right[1], 2 * sin(right[0]), 1e-15, "what follows");
    near(right[0] + right[1] * right[1] / 4, 0.8, 1e-15, "condition");
    for (int trial = 0; trial < 1000; trial++) {
        const double size = pow(10, random_between(-9, -2));
        for (int i = 0; i < 2; i++)
            m->now.x[i] = right[i] + size * random_between(-1, 1);
        expect(mb_converge(m, &m->now), "a start %g away is too far", size);
        same_bytes(m->now.x, right, 2, "from nearby");
    }
    mb_free(m);
}
