/* A motion that reaches a singular configuration is refused, and what went before is taken back.
 *
 * A pendulum of 1 m is described by the height q of its bob. Released horizontally, it is at its
 * lowest point K(sin 45 deg) sqrt(1 / 9.81) s later; there q turns back while the bob goes on. */
#include "mb_tolerances.h"
#include "model.h"

static const double BOTTOM = 0.59195822, GRAVITY = 9.81;

enum { RATE, HEIGHT };

FUNCTION(pendulum_newton)
{
    const double x = arg[X][0], q = arg[S][HEIGHT];
    const double residual = (x * x + q * q - 1) / 2;
    res[0][0] = x - residual / x;
    res[1][0] = residual;
}

FUNCTION(pendulum_start)
{
    res[0][0] = 1;
    res[1][0] = 1;
}

/* The rod's force per length from x x'' + x'^2 + q q'' + q'^2 = 0. */
FUNCTION(pendulum_rates)
{
    const double x = arg[X][0], q = arg[S][HEIGHT], v = arg[S][RATE];
    const double along = q * v / x, force = GRAVITY * q - along * along - v * v;
    res[0][RATE] = force * q - GRAVITY;
    res[0][HEIGHT] = v;
}

FUNCTION(pendulum_tangent)
{
    const double x = arg[X][0], q = arg[S][HEIGHT], v = arg[S][RATE];
    const double by_v = arg[EXTRA][RATE], by_q = arg[EXTRA][HEIGHT], along = q * v / x;
    const double by_x = -q * by_q / x, force = GRAVITY * q - along * along - v * v;
    const double turned = (by_q * v + q * by_v) / x - along * by_x / x;
    const double change = GRAVITY * by_q - 2 * along * turned - 2 * v * by_v;
    res[0][RATE] = change * q + force * by_q;
    res[0][HEIGHT] = by_v;
}

FUNCTION(pendulum_conditioning) { res[0][0] = arg[X][0]; }

static mb_model *pendulum(void)
{
    return make_model((mb_model){.ns = 2, .nx = 1, .nc = 1, .nr = 1, .nf = 1,
                                 .newton.call = pendulum_newton,
                                 .start.call = pendulum_start,
                                 .derivative.call = pendulum_rates,
                                 .change.call = pendulum_tangent,
                                 .conditioning.call = pendulum_conditioning});
}

/* Steps until one fails; that must be the one in which the bob passes its lowest point. */
static void stops_at_the_bottom(int method, double tolerance, double step)
{
    mb_instance *m = start(pendulum(), method, tolerance);
    int event;
    mb_status status = MB_OK;
    double before[2] = {0, 0};
    while (!status && m->now.t < 2) {
        memcpy(before, m->now.s, sizeof before);
        status = mb_do_step(m, m->now.t, step, &event);
    }
    expect(status == MB_DISCARD, "it stops, not at t = %g", m->now.t);
    expect(m->now.t <= BOTTOM + 1e-3 && m->now.t + step >= BOTTOM - 1e-3, "at t = %.9g, step %g",
           m->now.t, step);
    same_bytes(m->now.s, before, 2, "states after the step that failed");
    says(m, "part0");
    says(m, "singular");
    mb_free(m);
}

/* No later than at the lowest point, and no more than a few steps before. */
static void stops_ahead(double step)
{
    mb_instance *m = start(pendulum(), MB_METHOD_classical, 1e-6);
    m->now.p[MB_MODEL->np - MB_SOLVER_PARAMETERS + 2] = step;
    int event;
    mb_status status = MB_OK;
    while (!status && m->now.t < 2)
        status = mb_do_step(m, m->now.t, step, &event);
    expect(status == MB_DISCARD, "it stops, not at t = %g", m->now.t);
    expect(m->now.t <= BOTTOM && m->now.t + 4 * step >= BOTTOM, "at t = %.9g, step %g", m->now.t,
           step);
    says(m, "singular");
    mb_free(m);
}

CHECK(a_pendulum_by_its_height_stops_in_short_steps)
{
    stops_at_the_bottom(MB_METHOD_RK45, 1e-6, 1e-3);
    stops_at_the_bottom(MB_METHOD_RK45, 1e-9, 1e-3);
    stops_at_the_bottom(MB_METHOD_rosenbrock, 1e-6, 1e-3);
}

CHECK(a_pendulum_by_its_height_stops_in_long_steps)
{
    stops_at_the_bottom(MB_METHOD_RK45, 1e-4, 0.1);
    stops_at_the_bottom(MB_METHOD_RK45, 1e-12, 2);
    stops_at_the_bottom(MB_METHOD_rosenbrock, 1e-4, 2);
}

CHECK(fixed_steps_do_not_step_across_the_bottom)
{
    static const double STEP[] = {0.005, 0.0075, 0.01, 0.02, 0.05};
    for (int k = 0; k < 5; k++)
        stops_ahead(STEP[k]);
}

static int measured;

FUNCTION(counted_conditioning)
{
    measured++;
    res[0][0] = arg[X][0];
}

/* Ten steps, each after another input; returns how often it was measured. The step before them is
 * looked into wherever it is, for no trend is known yet. */
static int measured_in_ten_steps(int measures_without_inputs, double *s)
{
    mb_model *pushed = make_model((mb_model){.ns = 2, .nx = 1, .nc = 1, .nr = 1, .nf = 1, .nu = 1,
                                             .measures_without_inputs = measures_without_inputs,
                                             .newton.call = pendulum_newton,
                                             .start.call = pendulum_start,
                                             .derivative.call = pendulum_rates,
                                             .conditioning.call = counted_conditioning});
    mb_instance *m = start(pushed, MB_METHOD_classical, 1e-6);
    int event;
    for (int k = 0; k <= 10; k++) {
        measured = k > 1 ? measured : 0;
        m->now.u[0] = k + 1;
        m->fresh = 0;
        expect(!mb_do_step(m, m->now.t, 1e-3, &event), "a step: %s", m->message);
    }
    memcpy(s, m->now.s, 2 * sizeof(double));
    mb_free(m);
    return measured;
}

CHECK(inputs_that_measures_do_not_take_cost_no_measure)
{
    double s[2], expected[2];
    const int all = measured_in_ten_steps(0, expected), fewer = measured_in_ten_steps(1, s);
    expect(all - fewer == 10, "%d measures in place of %d", fewer, all);
    same_bytes(s, expected, 2, "states");
}

/* With a second result, measures, where it is asked for one. */
FUNCTION(pendulum_measured_rates)
{
    pendulum_rates(arg, res, w);
    if (res[1])
        res[1][0] = arg[X][0];
}

static mb_model *measured_pendulum(int with_rates)
{
    mb_model *model = pendulum();
    model->conditioning.call = counted_conditioning;
    model->derivative.call = with_rates ? pendulum_measured_rates : pendulum_rates;
    model->measures_with_rates = with_rates;
    return model;
}

/* Steps until one fails; the states before it and the message are the same wherever measures come
 * from, and those that come with rates are not taken again. */
static void measures_come_with_rates(int method)
{
    double s[2][2] = {{0}};
    int count[2];
    char message[2][MB_MESSAGE];
    for (int with_rates = 0; with_rates < 2; with_rates++) {
        mb_instance *m = start(measured_pendulum(with_rates), method, 1e-9);
        int event;
        measured = 0;
        for (int k = 0; k < 100; k++)
            expect(!mb_do_step(m, m->now.t, 1e-3, &event), "a step: %s", m->message);
        count[with_rates] = measured;
        while (!mb_do_step(m, m->now.t, 1e-3, &event))
            memcpy(s[with_rates], m->now.s, sizeof s[0]);
        memcpy(message[with_rates], m->message, MB_MESSAGE);
        mb_free(m);
    }
    same_bytes(s[1], s[0], 2, "states before the step that failed");
    expect(!strcmp(message[1], message[0]), "messages: %s, %s", message[1], message[0]);
    if (method == MB_METHOD_classical) /* its steps end without a rate */
        expect(count[1] >= 100 && count[1] <= count[0], "%d measures", count[1]);
    else /* others are taken inside steps that are looked into */
        expect(count[0] - count[1] >= 100, "%d measures in place of %d", count[1], count[0]);
}

CHECK(measures_come_with_rates_in_adaptive_steps) { measures_come_with_rates(MB_METHOD_RK45); }
CHECK(measures_come_with_rates_in_stiff_steps) { measures_come_with_rates(MB_METHOD_rosenbrock); }
CHECK(measures_come_with_rates_in_equal_steps) { measures_come_with_rates(MB_METHOD_classical); }

/* The integrator of an importer in equal steps of the classical method, and `on_the_way` before its
 * lowest point, goes on as in time t = 2 BOTTOM - t'. */
static mb_status complete(mb_instance *m, double t, double rate, double height)
{
    const double s[2] = {rate, height};
    int enter;
    double derivative[2];
    mb_status status = mb_set_time(m, t);
    if (!status)
        status = mb_set_states(m, s, 2);
    if (!status)
        status = mb_get_rates(m, derivative, 2);
    return status ? status : mb_completed_step(m, &enter);
}

/* The height near the lowest point, where the bob moves at sqrt(2 g). */
static double height_at(double since) { return -1 + GRAVITY * since * since; }

CHECK(model_exchange_sees_the_bottom_inside_a_step)
{
    mb_instance *m = create(pendulum(), MB_MODEL_EXCHANGE);
    variable(MB_MODEL, MB_STATE, HEIGHT)->start = height_at(-0.05);
    mb_reset(m);
    initialize(m);
    int changed;
    expect(!mb_update_discrete_states(m, &changed), "an event update");
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "the end of event mode");
    const double rate = 2 * GRAVITY;
    expect(!complete(m, 0, -rate * 0.05, height_at(-0.05)), "a step before: %s", m->message);
    expect(!complete(m, 0.02, -rate * 0.03, height_at(-0.03)), "a step before: %s", m->message);
    expect(complete(m, 0.09, rate * 0.04, height_at(0.04)) == MB_DISCARD, "the step across");
    says(m, "singular");
    mb_free(m);
}

/* A rate that oscillates a thousand million times a second. */
FUNCTION(trembling)
{
    res[0][0] = -1e18 * arg[S][1];
    res[0][1] = arg[S][0];
}

CHECK(creeping_ends_by_name)
{
    mb_instance *m = start(make_model((mb_model){.ns = 2, .derivative.call = trembling}),
                           MB_METHOD_RK45, 1e-6);
    int event;
    m->now.s[1] = 1e-3;
    m->fresh = 0;
    expect(mb_do_step(m, 0, 10, &event) == MB_DISCARD, "it is given up");
    says(m, "next to no progress");
    says(m, "s0");
    mb_free(m);
}

/* 1e5 rad/s beside a block that becomes nearly singular, and stays so. */
FUNCTION(fast)
{
    res[0][0] = -1e10 * arg[S][1];
    res[0][1] = arg[S][0];
}

FUNCTION(soon_small) { res[0][0] = arg[T][0] < 1e-3 ? 1 : 1e-3; }

FUNCTION(in_place)
{
    res[0][0] = 1;
    res[1][0] = 0;
}

CHECK(creeping_beside_a_singular_place_ends_by_its_name)
{
    mb_instance *m = start(make_model((mb_model){.ns = 2, .nx = 1, .nc = 1, .nr = 1,
                                                 .newton.call = in_place,
                                                 .start.call = pendulum_start,
                                                 .derivative.call = fast,
                                                 .conditioning.call = soon_small}),
                           MB_METHOD_RK45, 1e-6);
    int event;
    m->now.s[1] = 1e-3;
    m->fresh = 0;
    expect(mb_do_step(m, 0, 10, &event) == MB_DISCARD, "it is given up");
    says(m, "singular");
    says(m, "part0");
    expect(m->evaluations < 400000, "%ld evaluations", m->evaluations);
    mb_free(m);
}

/* Steps from a time at a pace; returns the number of the first before which they creep, or 0. */
static int creeps_at(mb_step_context *c, double pace, int steps, double nearness, double longest)
{
    double t = c->checked_time;
    for (int k = 0; k < steps; k++, c->steps++, t += pace)
        if (mb_creeps(c, t, nearness, longest))
            return k;
    return 0;
}

CHECK(progress_is_counted_in_steps_without_an_event)
{
    const double allowed = 1 / MB_HOPELESS_STEPS, near_singular = 1 / MB_LOST_STEPS;
    mb_step_context c = {.end = 1};
    near(creeps_at(&c, 0.9 * allowed, 1100, 1, 1), 1000, 0, "steps too slow");
    c = (mb_step_context){.end = 1};
    near(creeps_at(&c, 1.1 * allowed, 2100, 1, 1), 0, 0, "steps that are fast enough");
    c = (mb_step_context){.end = 1};
    near(creeps_at(&c, 0.9 * near_singular, 2100, 1e-3, 1), 1000, 0, "steps near a singular place");
    c = (mb_step_context){.end = 1};
    near(creeps_at(&c, 0.9 * allowed, 2100, 1, 50 * allowed), 0, 0, "steps as long as is wanted");
    c = (mb_step_context){.end = 1};
    for (int k = 0; k < 30; k++, c.all_events++) /* an event after every 100 steps */
        near(creeps_at(&c, 0.9 * allowed, 100, 1, 1), 0, 0, "steps between events");
    c = (mb_step_context){.end = 1};
    int found = 0, windows = 0; /* each at half the pace of that before, down from 5e5 steps to go */
    for (double pace = 2e-6; !found && windows < 10; pace /= 2, windows++)
        found = creeps_at(&c, pace, 1001, 1, 1);
    near(windows, 1 + MB_SLOWED, 0, "windows of a run that slows down");
}

/* A measure that is the state s1 itself, which changes at the rate s0; an event reverses the rate where
 * the state has fallen to p0. */
FUNCTION(gliding)
{
    res[0][0] = 0;
    res[0][1] = arg[S][0];
}

FUNCTION(measured_state) { res[0][0] = arg[S][1]; }
FUNCTION(fallen) { res[0][0] = arg[P][0] - arg[S][1]; }

FUNCTION(reverse)
{
    res[0][0] = arg[D][0] + arg[EXTRA][0];
    res[1][0] = arg[EXTRA][0] > 0 ? -arg[S][0] : arg[S][0];
    res[1][1] = arg[S][1];
}

/* In equal steps of 0.1 s, from a measure with a rate, turned back at a place where there is one. */
static mb_instance *glide(double from, double rate, double turned)
{
    const int events = turned > 0;
    mb_model *model = make_model((mb_model){.ns = 2, .np = 1, .nd = events, .ne = events,
                                            .contacts = events, .nx = 1, .nr = 1,
                                            .derivative.call = gliding,
                                            .indicator.call = fallen,
                                            .update.call = reverse,
                                            .conditioning.call = measured_state});
    variable(model, MB_STATE, 0)->start = rate;
    variable(model, MB_STATE, 1)->start = from;
    variable(model, MB_PARAMETER, 0)->start = turned;
    solver(model, 2)->start = 0.1;
    return start(model, MB_METHOD_classical, 1e-6);
}

CHECK(a_measure_that_vanishes_is_refused_ahead_from_either_side)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        mb_instance *m = glide(1.05 * sign, -sign, 0);
        int event;
        mb_status status = MB_OK;
        while (!status && m->now.t < 2)
            status = mb_do_step(m, m->now.t, 0.1, &event);
        expect(status == MB_DISCARD, "from %d: it stops, not at t = %g", sign, m->now.t);
        says(m, "singular configuration at t = 1.05 s");
        says(m, "of its largest at t = 1 s");
        mb_free(m);
    }
}

CHECK(a_measure_that_an_event_turns_back_is_no_obstacle)
{
    mb_instance *m = glide(1, -1, 0.012);
    step_to(m, 1.6, 1);
    near(m->now.s[1], 0.012 + (1.6 - 0.988), 1e-12, "measure");
    mb_free(m);
}

CHECK(a_trial_on_the_other_branch_has_passed_a_zero)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        mb_instance *m = glide(sign, 0, 0);
        const double beside[] = {-sign}, near_by[] = {0.9 * sign};
        mb_forget_trials(m);
        mb_note_trial(m, near_by);
        near(m->lowest[0], 0.9, 0, "lowest on the branch");
        mb_note_trial(m, beside);
        near(m->lowest[0], 0, 0, "lowest beyond a zero");
        m->lowest[0] = m->highest[0] = 1;
        m->trend[0] = -sign;
        expect(mb_may_be_singular(m, 0, 0.7), "from %d: a measure that falls is looked at", sign);
        expect(!mb_may_be_singular(m, 0, -0.7), "from %d: one that rises is not", sign);
        mb_free(m);
    }
}

/* A disk that is rocked as 1.6 sin t stays where its states are; its centre is at the height x, and
 * below the floor within 0.2 s of t = pi / 2: less than any step takes. */
static double rocked(double t) { return cos(1.6 * sin(t)); }

FUNCTION(rocked_newton)
{
    res[0][0] = rocked(arg[T][0]);
    res[1][0] = arg[X][0] - rocked(arg[T][0]);
}

FUNCTION(rocked_start)
{
    res[0][0] = 1;
    res[1][0] = 1;
}

FUNCTION(resting) { res[0][0] = 0; }

FUNCTION(height_required)
{
    res[0][0] = arg[X][0];
    res[1][0] = arg[X][0];
}

static mb_model *rocked_disk(void)
{
    static const int limit[] = {0};
    return make_model((mb_model){.ns = 1, .nx = 1, .nc = 1, .nr = 1, .nq = 1, .limits = 1,
                                 .limit = limit, .newton.call = rocked_newton,
                                 .start.call = rocked_start, .derivative.call = resting,
                                 .change.call = resting, .require.call = height_required,
                                 .conditioning.call = pendulum_conditioning});
}

CHECK(a_limit_is_seen_that_is_passed_and_passed_back_inside_a_step)
{
    static const int METHOD[] = {MB_METHOD_RK45, MB_METHOD_rosenbrock, MB_METHOD_classical};
    for (int k = 0; k < 3; k++) {
        mb_instance *m = start(rocked_disk(), METHOD[k], 1e-6);
        int event;
        expect(!mb_do_step(m, 0, 0.1, &event), "a step before: %s", m->message);
        expect(mb_do_step(m, 0.1, 2.9, &event) == MB_DISCARD, "it is not passed");
        says(m, "part0 is reached at t = 1.379"); /* arcsin(pi / 2 / 1.6) = 1.37944 */
        says(m, "must be positive");
        mb_free(m);
    }
}

CHECK(model_exchange_sees_a_limit_that_is_passed_and_passed_back)
{
    mb_instance *m = create(rocked_disk(), MB_MODEL_EXCHANGE);
    initialize(m);
    int changed, enter;
    expect(!mb_update_discrete_states(m, &changed), "an event update");
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "the end of event mode");
    for (int k = 1; k <= 3; k++) {
        const double t[] = {0, 0.6, 1.3, 1.9};
        const mb_status expected = k < 3 ? MB_OK : MB_DISCARD;
        expect(!mb_set_time(m, t[k]), "%s", m->message);
        expect(mb_completed_step(m, &enter) == expected, "at t = %g: %s", t[k], m->message);
    }
    says(m, "part0");
    mb_free(m);
}
