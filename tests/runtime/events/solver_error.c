/* What an importer's solver misses of places, told from what forces do: `mb_solver_error.c`. */
#include "model.h"

static const double PI = 3.14159265358979323846;

/* A mass on which a force swings, above a floor at 0: s0 speed, s1 height; p0 amplitude of the height, p1
 * frequency, p2 phase. */
static double height(double t, const double *p) { return 1 + p[0] * sin(p[1] * t + p[2]); }
static double speed(double t, const double *p) { return p[0] * p[1] * cos(p[1] * t + p[2]); }

FUNCTION(swings)
{
    const double *p = arg[P];
    res[0][0] = -p[0] * p[1] * p[1] * sin(p[1] * arg[T][0] + p[2]);
    res[0][1] = arg[S][0];
}

FUNCTION(is_below) { res[0][0] = -arg[S][1]; }

FUNCTION(keeps)
{
    res[0][0] = 0;
    memcpy(res[1], arg[S], 2 * sizeof(double));
}

static const double FREQUENCY = 20, AMPLITUDE = 0.1;

static mb_model *swing(void)
{
    static const mb_event_kind kind[] = {MB_IMPACT};
    static const double band[] = {2e-15};
    static const int nowhere[] = {-1};
    return make_model((mb_model){
        .ns = 2, .nf = 1, .nm = 1, .np = 3, .nd = 1, .ne = 1, .contacts = 1, .kind = kind, .band = band,
        .expected = nowhere, .height = nowhere, .derivative.call = swings, .indicator.call = is_below,
        .update.call = keeps});
}

static mb_instance *mass(const mb_model *model, double phase)
{
    const double p[] = {AMPLITUDE, FREQUENCY, phase};
    for (int i = 0; i < 3; i++)
        variable(model, MB_PARAMETER, i)->start = p[i];
    variable(model, MB_STATE, 0)->start = speed(0, p);
    variable(model, MB_STATE, 1)->start = height(0, p);
    mb_instance *m = create(model, MB_MODEL_EXCHANGE);
    initialize(m);
    int changed;
    expect(!mb_update_discrete_states(m, &changed), "%s", m->message);
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    return m;
}

/* A step that reads rates at its parts, and ends with an error of the place. */
static void make_step(mb_instance *m, double h, int parts, double error)
{
    const double from = m->accepted.t, *p = m->now.p;
    for (int i = 1; i <= parts; i++) {
        double rate[2];
        const double t = from + h * i / parts, s[] = {speed(t, p), height(t, p) + error};
        mb_begin_work(m);
        expect(!mb_set_time(m, t) && !mb_set_states(m, s, 2), "%s", m->message);
        expect(!mb_get_rates(m, rate, 2), "%s", m->message);
    }
}

/* However far a step goes: also where the force is as before at its end, and has been in between. */
CHECK(forces_that_change_are_no_errors)
{
    const mb_model *model = swing();
    for (double phase = 0; phase < 6.3; phase += 0.3)
        for (double periods = 1e-3; periods <= 2; periods += 0.0625) {
            int wanted;
            mb_instance *m = mass(model, phase);
            make_step(m, 2 * PI / FREQUENCY * periods, 64, 0);
            expect(!mb_completed_step(m, &wanted), "%s", m->message);
            near(m->event_memory[0].error, 0, 0, "error of the solver");
            mb_free(m);
        }
}

/* A step of order one, which is h^2/2 times the acceleration too low. The change of the acceleration, of at
 * most D, is taken for up to h^2 D/4 of it, and makes up to h^2 D/8 itself. */
CHECK(errors_of_steps_of_order_one_are_seen)
{
    const mb_model *model = swing();
    const double h = 2e-5, pull = AMPLITUDE * FREQUENCY * FREQUENCY;
    for (double phase = 0.5; phase < 2.6; phase += 0.3) {
        const double error = -pull * sin(phase) * h * h / 2, hidden = pull * FREQUENCY * h * h * h * 3 / 8;
        int wanted;
        double z;
        mb_instance *m = mass(model, phase);
        make_step(m, h, 1, error);
        expect(!mb_get_indicators(m, &z, 1), "%s", m->message);
        near(z, height(h, m->now.p), hidden + 1e-14, "indicator, without the error");
        expect(!mb_completed_step(m, &wanted), "%s", m->message);
        near(m->event_memory[0].error, error, hidden + 1e-14, "error of the solver");
        expect(!mb_get_indicators(m, &z, 1), "%s", m->message);
        near(z, height(h, m->now.p), hidden + 1e-14, "indicator after the step");
        expect(m->solver_watched, "errors are not sought any more");
        make_step(m, h, 1, error); /* the next step is exact */
        expect(!mb_completed_step(m, &wanted), "%s", m->message);
        near(m->event_memory[0].error, error, hidden + 1e-14, "error after another step");
        expect(!m->solver_watched, "errors are sought yet");
        mb_free(m);
    }
}

/* An observer or a restart sets another place and reads from there before it steps. Differences for a
 * Jacobian, set and read likewise, are no displacement. */
CHECK(places_that_importers_set_are_no_errors)
{
    const mb_model *model = swing();
    const double h = 2e-5, shifts[] = {0.3, -0.3, -0.9, 1e-5}, phase = 1.5;
    for (int i = 0; i < 4; i++) {
        mb_instance *m = mass(model, phase);
        const double set[] = {m->now.s[0], m->now.s[1] + shifts[i]};
        int wanted;
        double z;
        mb_begin_work(m);
        expect(!mb_set_states(m, set, 2) && !mb_get_indicators(m, &z, 1), "%s", m->message);
        near(z, set[1], 1e-14, "indicator of what was set");
        make_step(m, h, 1, shifts[i]);
        expect(!mb_get_indicators(m, &z, 1), "%s", m->message);
        near(z, height(h, m->now.p) + shifts[i], 1e-14, "indicator after a step from there");
        expect(!mb_completed_step(m, &wanted), "%s", m->message);
        near(m->event_memory[0].error, 0, 0, "error of the solver");
        mb_free(m);
    }
    const double error = -AMPLITUDE * FREQUENCY * FREQUENCY * sin(phase) * h * h / 2;
    mb_instance *m = mass(model, phase);
    const double varied[] = {m->now.s[0], m->now.s[1] + 1e-8};
    double rate[2], z;
    mb_begin_work(m);
    expect(!mb_set_states(m, varied, 2) && !mb_get_rates(m, rate, 2), "%s", m->message);
    make_step(m, h, 1, error);
    expect(!mb_get_indicators(m, &z, 1), "%s", m->message);
    near(z, height(h, m->now.p), AMPLITUDE * pow(FREQUENCY, 3) * h * h * h, "indicator, without the error");
    mb_free(m);
}
