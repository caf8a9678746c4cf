/* Serialized states whose numbers no instance can have, though their checksum is right: refused. */
#include "model.h"

/* A hopper (s0 speed, s1 height) above 0, blown upwards by u0 / (1 - p0): no rate where p0 is 1. Its
 * impacts are counted by d1, d2 says whether it has met; its speed is also the output y0. */
FUNCTION(hop)
{
    res[0][0] = -10 + arg[U][0] / (1 - arg[P][0]);
    res[0][1] = arg[S][0];
    if (res[1])
        res[1][0] = 1;
}

FUNCTION(below) { res[0][0] = arg[P][3] < 0 ? -INFINITY : -arg[S][1]; }

FUNCTION(meet)
{
    const int hit = arg[EXTRA][0] > 0;
    res[0][0] = 0;
    res[0][1] = arg[D][1] + hit;
    res[0][2] = hit || arg[D][2] > 0.5;
    res[1][0] = hit ? -arg[S][0] / 2 : arg[S][0];
    res[1][1] = hit ? 0 : arg[S][1];
}

FUNCTION(acceleration) { res[0][0] = -10 + arg[U][0] / (1 - arg[P][0]); }

/* p1, from 1 to 3, is what was set at itself, kept in p2, unless p3 says another number. */
static const mb_choice CHOICE[] = {{MB_PARAMETER, 1, 2, 3, 2, 0}};
static const mb_event_kind MEETING[] = {MB_IMPACT};

static mb_model *hopper(void)
{
    static const double band[] = {1e-9};
    mb_model *model = make_model((mb_model){
        .ns = 2, .nx = 1, .np = 4, .choices = 1, .choice = CHOICE, .nu = 1,
        .nd = 3, .ne = 1, .nr = 1, .ny = 1, .contacts = 1, .kind = MEETING, .band = band, .measures_with_rates = 1, .derivative.call = hop,
        .indicator.call = below, .update.call = meet, .output.call = acceleration});
    variable(model, MB_STATE, 1)->start = 1;
    mb_variable *chosen = variable(model, MB_PARAMETER, 1);
    chosen->minimum = chosen->start = 1;
    chosen->maximum = 3;
    chosen->type = MB_ENUMERATION;
    chosen->available = 7;
    mb_variable *selector = variable(model, MB_PARAMETER, 3);
    selector->type = MB_INTEGER;
    selector->minimum = -1;
    selector->maximum = 3;
    variable(model, MB_DISCRETE, 1)->type = MB_INTEGER;
    variable(model, MB_DISCRETE, 2)->type = MB_BOOLEAN;
    return model;
}

static mb_instance *running(const mb_model *model, mb_interface interface)
{
    mb_instance *m = create(model, interface);
    initialize(m);
    if (interface == MB_MODEL_EXCHANGE)
        expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    return m;
}

/* Whether another instance takes the state that `m` is in. */
static mb_status taken(mb_instance *m, mb_instance *by)
{
    unsigned char bytes[4096];
    size_t size;
    void *state = NULL, *read = NULL;
    expect(!mb_get_state(m, &state) && !mb_serialized_size(m, state, &size), "%s", m->message);
    expect(size <= sizeof bytes && !mb_serialize(m, state, bytes, size), "%s", m->message);
    expect(!mb_free_state(m, &state), "%s", m->message);
    const mb_status status = mb_deserialize(by, bytes, size, &read);
    expect(!status == !!read && !mb_free_state(by, &read), "a refused state was made");
    return status;
}

typedef void (*change)(mb_instance *m);

#define FORGE(name, ...) static void forge_##name(mb_instance *m) { __VA_ARGS__; }
FORGE(mode, m->mode = MB_CONTINUOUS_TIME)
FORGE(mode_of_exchange, m->mode = MB_STEP)
FORGE(sum_of_modes, m->mode = (mb_mode)(MB_EVENT | MB_FAILED))
FORGE(mode_of_a_failure, m->mode = MB_FAILED)
FORGE(failure, m->failed = 2)
FORGE(mode_before_its_time, m->initialized = 0)
FORGE(mode_after_its_time, m->mode = MB_INITIALIZATION)
FORGE(event_mode, m->mode = MB_EVENT)
FORGE(nominal, m->nominal[1] = 0)
FORGE(last_event, m->last_event = 1)
FORGE(event_before_the_first, m->last_event = -1)
FORGE(mode_of_an_event, m->now.d[0] = 0.5)
FORGE(count, m->now.d[1] = 2.5)
FORGE(flag, m->now.d[2] = 2)
FORGE(distance, m->event_memory[0].slack = NAN)
FORGE(wide_threshold, m->event_memory[0].slack = 10)
FORGE(end_of_a_flight, m->event_memory[0].end = NAN)
FORGE(flight_without_length, m->event_memory[0].foretold = 1)
FORGE(lateness, m->event_memory[0].late = -1)
FORGE(error_of_a_solver, m->event_memory[0].error = NAN)
FORGE(reach, m->event_memory[0].reach = INFINITY)
FORGE(way_to_an_event, m->event_span = NAN)
FORGE(measure, m->largest[0] = NAN)
FORGE(hidden_choice, m->now.p[2] = 4)
FORGE(part_of_an_item, m->now.p[2] = 1.5)
FORGE(part_of_a_number, m->now.p[3] = 1e-300)
FORGE(accepted, m->fresh |= MB_ACCEPTED, m->accepted.p[1] = 7)
FORGE(size, m->fresh = 0, m->per_scale[0] = 0)
FORGE(rate, m->fresh |= MB_DERIVED, m->rate[0] = NAN)

static const struct {
    mb_interface interface;
    change forge;
    const char *words;
} FORGED[] = {
    {MB_CO_SIMULATION, forge_mode, "mode"},
    {MB_MODEL_EXCHANGE, forge_mode_of_exchange, "mode"},
    {MB_MODEL_EXCHANGE, forge_sum_of_modes, "mode"},
    {MB_MODEL_EXCHANGE, forge_mode_of_a_failure, "mode"},
    {MB_MODEL_EXCHANGE, forge_failure, "mode"},
    {MB_MODEL_EXCHANGE, forge_mode_before_its_time, "mode"},
    {MB_MODEL_EXCHANGE, forge_mode_after_its_time, "mode"},
    {MB_CO_SIMULATION, forge_event_mode, "mode"},
    {MB_MODEL_EXCHANGE, forge_nominal, "nominal value = 0"},
    {MB_CO_SIMULATION, forge_last_event, "last event = 1"},
    {MB_CO_SIMULATION, forge_event_before_the_first, "last event = -1"},
    {MB_MODEL_EXCHANGE, forge_mode_of_an_event, "part0 = 0.5"},
    {MB_CO_SIMULATION, forge_count, "d1 = 2.5"},
    {MB_CO_SIMULATION, forge_flag, "d2 = 2"},
    {MB_MODEL_EXCHANGE, forge_distance, "distance from an event"},
    {MB_MODEL_EXCHANGE, forge_wide_threshold, "distance from an event = 10"},
    {MB_MODEL_EXCHANGE, forge_reach, "distance from an event"},
    {MB_MODEL_EXCHANGE, forge_end_of_a_flight, "distance from an event"},
    {MB_MODEL_EXCHANGE, forge_flight_without_length, "distance from an event"},
    {MB_MODEL_EXCHANGE, forge_lateness, "distance from an event"},
    {MB_MODEL_EXCHANGE, forge_error_of_a_solver, "distance from an event"},
    {MB_MODEL_EXCHANGE, forge_way_to_an_event, "next event"},
    {MB_CO_SIMULATION, forge_measure, "a result"},
    {MB_CO_SIMULATION, forge_hidden_choice, "p1 = 4"},
    {MB_CO_SIMULATION, forge_part_of_an_item, "p1 = 1.5"},
    {MB_CO_SIMULATION, forge_part_of_a_number, "p3 = 1e-300"},
    {MB_CO_SIMULATION, forge_accepted, "accepted"},
    {MB_CO_SIMULATION, forge_size, "size of a coordinate"},
    {MB_CO_SIMULATION, forge_rate, "a result"},
};

CHECK(values_that_no_instance_can_have_are_refused)
{
    const mb_model *model = hopper();
    for (size_t i = 0; i < sizeof FORGED / sizeof *FORGED; i++) {
        mb_instance *m = running(model, FORGED[i].interface);
        mb_instance *other = running(model, FORGED[i].interface);
        expect(!taken(m, other), "it is refused as it is: %s", other->message);
        FORGED[i].forge(m);
        expect(taken(m, other) == MB_ERROR, "%s is accepted", FORGED[i].words);
        says(other, FORGED[i].words);
        mb_free(m);
        mb_free(other);
    }
}

/* A rate that was calculated with something else, and that nobody has looked at, is no fault. */
CHECK(a_state_whose_rate_does_not_exist_is_taken)
{
    const mb_model *model = hopper();
    mb_instance *m = running(model, MB_MODEL_EXCHANGE), *other = running(model, MB_MODEL_EXCHANGE);
    double rate[2];
    m->now.p[0] = m->now.u[0] = 1;
    m->fresh = 0;
    expect(mb_get_rates(m, rate, 2) == MB_DISCARD, "the rate is %g", rate[0]);
    says(m, "ds0 is not finite");
    expect(!taken(m, other), "%s", other->message);
    void *state = NULL;
    expect(!mb_get_state(m, &state) && !mb_set_state(m, state), "%s", m->message);
    expect(mb_get_rates(m, rate, 2) == MB_DISCARD, "the rate is %g", rate[0]);
    mb_free(m);
    mb_free(other);
}

/* What could not be initialized, and was put right, leaves nothing behind. */
CHECK(a_state_after_an_indicator_without_end_is_taken)
{
    const mb_model *model = hopper();
    mb_instance *m = create(model, MB_MODEL_EXCHANGE), *other = create(model, MB_MODEL_EXCHANGE);
    expect(!mb_enter_initialization(m), "%s", m->message);
    m->now.p[3] = -1;
    expect(mb_provide(m, MB_INDICATED) == MB_DISCARD, "the indicator is %g", m->indicator[0]);
    m->now.p[3] = 0;
    m->fresh = 0;
    expect(!taken(m, other), "%s", other->message);
    initialize(m);
    near(m->event_memory[0].reach, 1, 1e-6, "largest distance");
    mb_free(m);
    mb_free(other);
}

CHECK(an_output_without_a_row_has_the_name_of_the_derivative_that_it_is)
{
    mb_model *model = hopper();
    mb_instance *m = running(model, MB_MODEL_EXCHANGE);
    m->now.p[0] = m->now.u[0] = 1;
    m->fresh = 0;
    expect(mb_provide(m, MB_OBSERVED) == MB_DISCARD, "y0 is %g", m->output[0]);
    says(m, "y0 is not finite");
    variable(model, MB_OUTPUT, 0)->kind = MB_TIME;
    expect(mb_provide(m, MB_OBSERVED) == MB_DISCARD, "it is %g", m->output[0]);
    says(m, "ds0 is not finite");
    mb_free(m);
}

CHECK(reading_a_state_changes_nothing)
{
    const mb_model *model = hopper();
    mb_instance *m = running(model, MB_CO_SIMULATION), *twin = running(model, MB_CO_SIMULATION);
    mb_instance *far = running(model, MB_CO_SIMULATION);
    step_to(m, 0.3, 3);
    step_to(twin, 0.3, 3);
    step_to(far, 0.9, 1);
    for (int forged = 0; forged < 2; forged++) {
        far->last_event = forged;
        expect(taken(far, m) == (forged ? MB_ERROR : MB_OK), "%s", m->message);
        near(m->now.t, twin->now.t, 0, "time");
        expect(!mb_provide(m, MB_OBSERVED) && !mb_provide(twin, MB_OBSERVED), "%s", m->message);
        same_bytes(m->output, twin->output, 1, "output");
        step_to(m, 0.6 + 0.1 * forged, 1);
        step_to(twin, 0.6 + 0.1 * forged, 1);
        same_bytes(m->now.values, twin->now.values, (int)mb_point_size(model), "the next step");
    }
    expect(m->now.d[1] >= 1 && far->now.d[1] > 1, "%g impacts", m->now.d[1]);
    mb_free(m);
    mb_free(twin);
    mb_free(far);
}
