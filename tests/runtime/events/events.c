/* State events: found in a step, at the right time, once; modes at the start; repetition refused. */
#include "model.h"

static int calls; /* of a right-hand side */

/* Thrown upwards: s0 speed, s1 height, p0 gravity, p1 the height above which the event is active.
 * Discrete: mode, how often it became active, when it changed last. */
FUNCTION(thrown)
{
    calls++;
    res[0][0] = -arg[P][0];
    res[0][1] = arg[S][0];
}

FUNCTION(thrown_tangent)
{
    res[0][0] = 0;
    res[0][1] = arg[EXTRA][0];
}

FUNCTION(height) { res[0][0] = arg[S][1] - arg[P][1]; }

FUNCTION(count)
{
    res[0][0] = arg[D][0] + arg[EXTRA][0];
    res[0][1] = arg[D][1] + (arg[EXTRA][0] > 0);
    res[0][2] = arg[EXTRA][0] != 0 ? arg[T][0] : arg[D][2];
    for (int i = 0; i < tested_model->ns; i++)
        res[1][i] = arg[S][i];
}

static double narrow[1]; /* half width of the hysteresis */

static mb_model *stone(double speed, double threshold)
{
    mb_model *model = make_model((mb_model){.ns = 2, .np = 2, .nd = 3, .ne = 1, .band = narrow,
                                            .derivative.call = thrown,
                                            .change.call = thrown_tangent,
                                            .indicator.call = height, .update.call = count});
    variable(model, MB_STATE, 0)->start = speed;
    variable(model, MB_PARAMETER, 0)->start = 10;
    variable(model, MB_PARAMETER, 1)->start = threshold;
    solver(model, 2)->start = 1;
    return model;
}

/* One throw over a second, whose top is at `top` seconds and by `above` higher than the threshold:
 * up through it and down again, both in one step where steps are fixed. */
static void graze(mb_model *model, int method, double top, double above)
{
    const double speed = 10 * top, half = sqrt(2 * above / 10);
    narrow[0] = 0;
    variable(model, MB_STATE, 0)->start = speed;
    variable(model, MB_PARAMETER, 1)->start = speed * top / 2 - above;
    mb_instance *m = start(model, method, 1e-10);
    step_to(m, 1, 1);
    expect(m->now.d[1] == (above > 0) && m->now.d[0] == 0,
           "top at %g s, %g m above: %g events, mode %g", top, above, m->now.d[1], m->now.d[0]);
    if (above > 0)
        near(m->now.d[2], top + half, 1e-13 / half, "time of its end");
    mb_free(m);
}

static void graze_all(int method)
{
    mb_model *model = stone(0, 0);
    for (double top = 0.11; top < 0.9; top += 0.013)
        for (double above = 1e-2; above > 1e-8; above /= 10)
            graze(model, method, top, above);
    for (double top = 0.11; top < 0.9; top += 0.13)
        graze(model, method, top, -1e-6);
}

CHECK(grazing_in_one_long_step_is_counted_once) { graze_all(MB_METHOD_classical); }
CHECK(grazing_by_runge_kutta) { graze_all(MB_METHOD_RK45); }
CHECK(grazing_by_rosenbrock) { graze_all(MB_METHOD_rosenbrock); }

/* s1 = sin t, which is above 1/2 from pi / 6 to 5 pi / 6. */
FUNCTION(swing)
{
    calls++;
    res[0][0] = -arg[S][1];
    res[0][1] = arg[S][0];
}

FUNCTION(swing_tangent)
{
    res[0][0] = -arg[EXTRA][1];
    res[0][1] = arg[EXTRA][0];
}

static mb_model *oscillator(double threshold)
{
    mb_model *model = make_model((mb_model){.ns = 2, .np = 2, .nd = 3, .ne = 1, .band = narrow,
                                            .derivative.call = swing,
                                            .change.call = swing_tangent,
                                            .indicator.call = height, .update.call = count});
    variable(model, MB_STATE, 0)->start = 1;
    variable(model, MB_PARAMETER, 1)->start = threshold;
    solver(model, 2)->start = 0.5;
    return model;
}

static void locate(int method, double tolerance, double accuracy)
{
    const double first = asin(0.5), last = acos(-1) - first;
    narrow[0] = 0;
    mb_instance *m = start(oscillator(0.5), method, tolerance);
    step_to(m, 2, 1);
    near(m->now.d[0], 1, 0, "mode after one crossing");
    near(m->now.d[2], first, accuracy, "time of the first crossing");
    step_to(m, 4, 1);
    near(m->now.d[0], 0, 0, "mode after two crossings");
    near(m->now.d[1], 1, 0, "number of events");
    near(m->now.d[2], last, accuracy, "time of the second crossing");
    mb_free(m);
}

/* The interpolant alone is off by up to 1e-4 in the long steps of order 8. */
CHECK(events_are_as_accurate_as_steps_of_order_8) { locate(MB_METHOD_RK45, 1e-9, 3e-9); }
CHECK(events_are_as_accurate_as_steps_of_order_5) { locate(MB_METHOD_RK45, 1e-6, 3e-6); }
CHECK(events_are_as_accurate_as_steps_of_rosenbrock) { locate(MB_METHOD_rosenbrock, 1e-7, 1e-6); }
CHECK(events_are_as_accurate_as_fixed_steps) { locate(MB_METHOD_classical, 1, 2e-3); }

CHECK(an_event_lies_just_behind_its_threshold)
{
    narrow[0] = 0;
    mb_instance *m = start(stone(10, 3), MB_METHOD_RK45, 1e-6);
    m->event_mode_used = m->early_return_allowed = 1;
    int event;
    expect(!mb_do_step(m, 0, 1, &event) && event, "no event was met");
    const double right = 1 - sqrt(1 - 0.6);
    expect(m->indicator[0] > 0 && m->indicator[0] < 1e-12, "the indicator is %g", m->indicator[0]);
    near(m->now.t, right, 1e-13, "time");
    mb_free(m);
}

CHECK(hysteresis_takes_its_full_width)
{
    narrow[0] = 0.25;
    mb_instance *m = start(stone(10, 3), MB_METHOD_classical, 1);
    step_to(m, 1, 1);
    near(m->now.d[2], 1 - sqrt(1 - 0.65), 1e-13, "becomes active"); /* 3.25 m */
    step_to(m, 2, 1);
    near(m->now.d[2], 1 + sqrt(1 - 0.55), 1e-13, "becomes inactive"); /* 2.75 m */
    near(m->now.d[1], 1, 0, "number of events");
    mb_free(m);
}

/* Two thresholds in one step, given in the order in which they are not met. */
FUNCTION(two_heights)
{
    res[0][0] = arg[S][1] - 2;
    res[0][1] = arg[S][1] - 1;
}

FUNCTION(note_times)
{
    for (int i = 0; i < 2; i++) {
        res[0][i] = arg[D][i] + arg[EXTRA][i];
        res[0][2 + i] = arg[EXTRA][i] != 0 ? arg[T][0] : arg[D][2 + i];
        res[1][i] = arg[S][i];
    }
}

CHECK(two_events_in_one_step_occur_in_their_order)
{
    mb_model *model = stone(10, 0);
    model->ne = 2;
    model->nd = 4;
    variable(model, MB_DISCRETE, 2)->index = 2;
    model->band = (const double[]){0, 0};
    model->indicator.call = model->free_indicator.call = two_heights;
    model->update.call = note_times;
    mb_instance *m = start(model, MB_METHOD_classical, 1);
    step_to(m, 1, 1);
    near(m->now.d[3], 1 - sqrt(0.8), 1e-13, "the lower one");
    near(m->now.d[2], 1 - sqrt(0.6), 1e-13, "the higher one");
    mb_free(m);
}

/* Up through one threshold and down again, and then, in the same step, on to another event. */
static int first_is_height;

FUNCTION(height_and_end)
{
    res[0][!first_is_height] = arg[S][1] - arg[P][1];
    res[0][first_is_height] = arg[T][0] - 0.9;
}

CHECK(an_event_that_grazes_before_another_one)
{
    mb_model *model = stone(0, 0);
    model->ne = 2;
    model->nd = 4;
    model->band = (const double[]){0, 0};
    model->indicator.call = model->free_indicator.call = height_and_end;
    model->update.call = note_times;
    for (double top = 0.31; top < 0.6; top += 0.07)
        for (double above = 1e-2; above > 1e-6; above /= 10) {
            variable(model, MB_STATE, 0)->start = 10 * top;
            variable(model, MB_PARAMETER, 1)->start = 5 * top * top - above;
            mb_instance *m = start(model, MB_METHOD_classical, 1e-10);
            step_to(m, 1, 1);
            const double end = m->now.d[2 + !first_is_height], other = m->now.d[2 + first_is_height];
            near(end, top + sqrt(above / 5), 1e-11, "time of the end of the first");
            near(other, 0.9, 1e-12, "time of the second");
            mb_free(m);
            first_is_height = !first_is_height;
        }
}

/* An event whose indicator demands the other mode in either. */
FUNCTION(contrary) { res[0][0] = arg[T][0] < 0.5 ? -1 : arg[D][0] > 0.5 ? -1 : 1; }

CHECK(events_that_do_not_come_to_rest_are_refused)
{
    mb_model *model = stone(10, 0);
    model->indicator.call = model->free_indicator.call = contrary;
    narrow[0] = 0;
    mb_instance *m = start(model, MB_METHOD_classical, 1);
    int event;
    expect(mb_do_step(m, 0, 1, &event) == MB_DISCARD, "they came to rest");
    says(m, "event part0 and those that it causes keep changing their modes");
    near(m->now.t, 0, 0, "time");
    near(m->now.d[0], 0, 0, "mode");
    near(m->now.s[1], 0, 0, "height");
    mb_free(m);
}

/* Two modes that exclude each other: where both change at once, they never come to rest. */
FUNCTION(exclusive)
{
    for (int i = 0; i < 2; i++)
        res[0][i] = arg[D][1 - i] > 0.5 ? -1 : 1;
}

CHECK(events_that_do_not_rest_together_happen_one_by_one)
{
    mb_model *model = stone(10, 0);
    model->ne = 2;
    model->nd = 4;
    model->band = (const double[]){0, 0};
    model->indicator.call = model->free_indicator.call = exclusive;
    model->update.call = note_times;
    mb_instance *m = start(model, MB_METHOD_classical, 1);
    near(m->now.d[0] + m->now.d[1], 1, 0, "number of active modes");
    mb_free(m);
}

/* A clock that is set back after each period p0; d1 counts. */
FUNCTION(clock_runs) { res[0][0] = 1; }
FUNCTION(clock_is_over) { res[0][0] = arg[S][0] - arg[P][0]; }

FUNCTION(clock_is_set_back)
{
    res[0][0] = 0;
    res[0][1] = arg[D][1] + arg[EXTRA][0];
    res[1][0] = arg[EXTRA][0] > 0 ? 0 : arg[S][0];
}

static mb_instance *clock(double period)
{
    static const mb_event_kind meeting[] = {MB_IMPACT};
    mb_model *model = make_model((mb_model){.ns = 1, .np = 1, .nd = 2, .ne = 1, .contacts = 1,
                                            .kind = meeting, .derivative.call = clock_runs,
                                            .indicator.call = clock_is_over,
                                            .update.call = clock_is_set_back});
    variable(model, MB_PARAMETER, 0)->start = period;
    return start(model, MB_METHOD_RK45, 1e-6);
}

CHECK(endless_repetition_of_an_event_is_refused)
{
    int event;
    mb_instance *m = clock(1e-10);
    expect(mb_do_step(m, 0, 1, &event) == MB_DISCARD, "it was repeated to the end");
    says(m, "more than 1000 events");
    says(m, "part0");
    near(m->now.t, 0, 0, "time");
    near(m->now.d[1], 0, 0, "number of events");
    mb_free(m);
}

CHECK(many_events_are_not_endless)
{
    mb_instance *m = clock(1e-3);
    step_to(m, 3.0005, 1); /* 3,000 in one call */
    near(m->now.d[1], 3000, 0, "number of events");
    near(m->now.s[0], 5e-4, 1e-9, "clock"); /* each begins a rounding error late */
    mb_free(m);
}

CHECK(an_indicator_that_is_no_number_is_refused)
{
    narrow[0] = 0;
    mb_model *model = stone(10, 0);
    mb_instance *m = start(model, MB_METHOD_classical, 1);
    m->now.p[1] = NAN;
    m->fresh = 0;
    int event;
    expect(mb_do_step(m, 0, 1, &event) == MB_DISCARD, "NaN passed");
    says(m, "the indicator of event part0 is not finite");
    mb_free(m);
}

/* Force sin t on a mass: s0 speed, s1 place. */
FUNCTION(pushed)
{
    res[0][0] = sin(arg[T][0]);
    res[0][1] = arg[S][0];
}

/* The place that one classical step of length h from rest leads to: by Simpson's rule the speed, and
 * h^2/6 (k1 + 2 k2) of the forces k at both its ends and in its middle. */
static double pushed_to(double h) { return h * h / 6 * (sin(0.0) + 2 * sin(h / 2)); }

/* Near a step's end the interpolant is close to the step, but is not what it gives. */
CHECK(an_event_of_equal_steps_is_at_the_end_of_a_step)
{
    const double steps[] = {0.3, 0.499}; /* the second in a run with a loose tolerance */
    for (int k = 0; k < 2; k++) {
        mb_model *model = make_model((mb_model){.ns = 2, .np = 2, .nd = 3, .ne = 1, .band = narrow,
                                                .derivative.call = pushed,
                                                .indicator.call = height, .update.call = count});
        narrow[0] = 0;
        variable(model, MB_PARAMETER, 1)->start = pushed_to(steps[k]);
        solver(model, 2)->start = 0.5;
        mb_instance *m = start(model, MB_METHOD_classical, k ? 0.1 : 1e-12);
        step_to(m, 0.5, 1);
        near(m->now.d[1], 1, 0, "number of events");
        near(m->now.d[2], steps[k], k ? 1e-7 : 1e-10, "time of the event");
        mb_free(m);
    }
}
