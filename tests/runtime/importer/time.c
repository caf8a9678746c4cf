/* What time may become: communication points, and the stop time that an importer declares. */
#include "model.h"

FUNCTION(clock_runs) { res[0][0] = 1; }

static mb_instance *clock_until(mb_interface interface, double begin, double stop)
{
    mb_instance *m = create(make_model((mb_model){.ns = 1, .derivative.call = clock_runs}), interface);
    expect(!mb_set_experiment(m, begin, 0, 0) && !mb_set_stop_time(m, 1, stop), "%s", m->message);
    initialize(m);
    return m;
}

static mb_status step(mb_instance *m, double point, double size)
{
    int event;
    return mb_do_step(m, point, size, &event);
}

/* Equal steps to a stop time, points summed or multiplied; one more is refused. */
static void steps_to(mb_instance *m, double begin, double size, int n, int summed)
{
    double point = begin;
    for (int i = 0; i < n; i++) {
        expect(!step(m, point, size), "step %d of %g: %s", i, size, m->message);
        point = summed ? point + size : begin + (i + 1) * size;
    }
    expect(step(m, point, size) == MB_ERROR, "a step past the stop time is accepted");
    says(m, "stop time");
}

CHECK(steps_end_at_the_stop_time_up_to_rounding)
{
    mb_instance *m = clock_until(MB_CO_SIMULATION, 0, 1);
    for (int round = 0; round < 40; round++) {
        const int n = round < 2 ? 10 : (int)random_between(1, 2000);
        const double size = round < 2 ? 0.1 : random_between(1e-4, 1);
        const double begin = round < 2 ? 0 : random_between(-1000, 1000);
        mb_reset(m);
        expect(!mb_set_experiment(m, begin, 0, 0), "%s", m->message);
        expect(!mb_set_stop_time(m, 1, begin + n * size), "%s", m->message);
        initialize(m);
        steps_to(m, begin, size, n, round % 2);
        near(m->now.s[0], n * size, 1e-9, "clock");
    }
    mb_free(m);
}

CHECK(a_refused_step_names_both_times_and_changes_nothing)
{
    mb_instance *m = clock_until(MB_CO_SIMULATION, 0, 2);
    expect(!step(m, 0, 1.5), "%s", m->message);
    expect(step(m, 1.5, 0.75) == MB_ERROR, "a step past the stop time is accepted");
    says(m, "t = 2.25 s");
    says(m, "t = 2 s");
    expect(step(m, 1.5, 0.5 + 1e-6) == MB_ERROR, "1e-6 past the stop time is rounding");
    near(m->now.t, 1.5, 0, "time");
    near(m->now.s[0], 1.5, 1e-15, "clock");
    expect(!step(m, 1.5, 0.5), "%s", m->message);
    mb_reset(m);
    initialize(m);
    expect(!step(m, 0, 5), "a reset keeps the stop time: %s", m->message);
    mb_free(m);
}

CHECK(a_stop_time_that_is_impossible_is_refused)
{
    const double wrong[] = {NAN, INFINITY, 0.5};
    mb_instance *m = create(make_model((mb_model){.ns = 1}), MB_CO_SIMULATION);
    expect(!mb_set_experiment(m, 1, 0, 0), "%s", m->message);
    for (int i = 0; i < 3; i++)
        expect(mb_set_stop_time(m, 1, wrong[i]) == MB_ERROR, "%g is accepted", wrong[i]);
    says(m, "0.5 s");
    expect(!mb_set_stop_time(m, 0, NAN) && !mb_set_stop_time(m, 1, 1), "%s", m->message);
    mb_free(m);
}

/* A solver tries points beyond the end and interpolates back. */
CHECK(model_exchange_completes_nothing_past_the_stop_time)
{
    mb_instance *m = clock_until(MB_MODEL_EXCHANGE, 10, 20);
    int event;
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    expect(!mb_set_time(m, 20.2), "a solver's trial: %s", m->message);
    expect(mb_completed_step(m, &event) == MB_ERROR, "a step past the stop time is completed");
    says(m, "20.199999999999999 s");
    says(m, "t = 20 s");
    expect(mb_enter_event_mode(m) == MB_ERROR, "an event past the stop time is handled");
    expect(!mb_set_time(m, 20 + 1e-12) && !mb_completed_step(m, &event), "%s", m->message);
    expect(mb_set_time(m, 21) == MB_ERROR, "a time past the stop time is accepted");
    says(m, "t = 21 s");
    near(m->now.t, 20 + 1e-12, 0, "time");
    mb_free(m);
}

CHECK(communication_points_may_differ_by_rounding_only)
{
    mb_instance *m = clock_until(MB_CO_SIMULATION, -1, 1e9);
    double point = -1;
    for (int i = 1; i <= 3000; i++) { /* 0 among them, which sums miss */
        expect(!step(m, point, 1e-3), "%s", m->message);
        point = -1 + i * 1e-3;
    }
    expect(step(m, point + 1e-6 * 1e-3, 1e-3) == MB_ERROR, "1e-6 of a step is rounding");
    says(m, "follow");
    expect(step(m, point - 1e-3 * 1e-3, 1e-3) == MB_ERROR, "1e-3 of a step is rounding");
    expect(!step(m, point, 1e-3), "%s", m->message);
    mb_free(m);
}
