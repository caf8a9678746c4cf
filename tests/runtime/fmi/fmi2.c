/* The functions of FMI 2.0 over a model written by hand. */
#include "fmi2Functions.h"
#include "model.h"

#include <stdio.h>

static char said[2 * MB_MESSAGE], categories[256];

static void listen(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)name, (void)status;
    snprintf(said, sizeof said, "%s", message);
    snprintf(categories + strlen(categories), sizeof categories - strlen(categories), "%s ", category);
}

/* s0 follows the input; the event is active where it is above one. */
FUNCTION(follow) { res[0][0] = arg[U][0]; }
FUNCTION(above_one) { res[0][0] = arg[S][0] - 1; }
FUNCTION(twice) { res[0][0] = 2 * arg[S][0]; }

FUNCTION(below_three)
{
    res[0][0] = 3 - arg[S][0];
    res[1][0] = arg[S][0];
}

static mb_model *follower(void)
{
    mb_model *model = make_model((mb_model){.ns = 1, .np = 1, .nu = 1, .ny = 1, .nd = 2, .ne = 1,
                                            .nq = 1, .derivative.call = follow,
                                            .indicator.call = above_one, .output.call = twice,
                                            .require.call = below_three});
    variable(model, MB_DISCRETE, 0)->type = MB_BOOLEAN;
    variable(model, MB_DISCRETE, 1)->type = MB_INTEGER;
    variable(model, MB_DISCRETE, 1)->start = -3;
    return model;
}

static fmi2Component fmi2(mb_model *model, fmi2Type type)
{
    static fmi2CallbackFunctions functions = {listen, NULL, NULL, NULL, NULL};
    tested_model = model;
    said[0] = categories[0] = '\0';
    fmi2Component c = fmi2Instantiate("name", type, "token", "", &functions, fmi2False, fmi2True);
    expect(c != NULL, "there is no instance: %s", said);
    return c;
}

static void fmi2_initialize(fmi2Component c)
{
    expect(!fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0), "%s", said);
    expect(!fmi2EnterInitializationMode(c) && !fmi2ExitInitializationMode(c), "%s", said);
}

static fmi2Status set_real(fmi2Component c, mb_kind kind, double value)
{
    const fmi2ValueReference vr = reference(tested_model, kind, 0);
    return fmi2SetReal(c, &vr, 1, &value);
}

static double get_real(fmi2Component c, mb_kind kind)
{
    const fmi2ValueReference vr = reference(tested_model, kind, 0);
    double value = NAN;
    expect(!fmi2GetReal(c, &vr, 1, &value), "%s", said);
    return value;
}

CHECK(fmi2_reset_keeps_no_tolerance)
{
    fmi2Component c = fmi2(follower(), fmi2CoSimulation);
    expect(!fmi2SetupExperiment(c, fmi2True, 1e-3, 7, fmi2False, 0), "%s", said);
    near(mb_relative_tolerance(c), 1e-3, 0, "tolerance");
    expect(!fmi2Reset(c), "%s", said);
    expect(!fmi2EnterInitializationMode(c) && !fmi2ExitInitializationMode(c), "%s", said);
    near(mb_relative_tolerance(c), 1e-6, 0, "tolerance after a reset");
    near(get_real(c, MB_TIME), 0, 0, "time after a reset");
    fmi2FreeInstance(c);
}

CHECK(fmi2_says_when_it_cannot_go_on)
{
    fmi2Component c = fmi2(follower(), fmi2CoSimulation);
    fmi2_initialize(c);
    fmi2Boolean terminated;
    fmi2Real last;
    expect(!fmi2DoStep(c, 0, 0.5, fmi2True), "%s", said);
    expect(!set_real(c, MB_INPUT, 8), "%s", said);
    for (int i = 0; i < 2; i++) {
        expect(fmi2DoStep(c, 0.5, 0.5, fmi2True) == fmi2Discard, "what must hold is violated");
        expect(strstr(said, "part0") && strstr(said, "DoStep"), "\"%s\" says too little", said);
        expect(!fmi2GetBooleanStatus(c, fmi2Terminated, &terminated), "%s", said);
        expect(!fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &last), "%s", said);
        near(terminated, i, 0, "terminated");
        near(last, 0.5, 0, "last successful time");
    }
    expect(!fmi2Reset(c), "%s", said);
    fmi2_initialize(c);
    expect(!set_real(c, MB_INPUT, 8), "%s", said);
    expect(fmi2DoStep(c, 0, 0.5, fmi2True) == fmi2Discard, "what must hold is violated");
    expect(!fmi2GetBooleanStatus(c, fmi2Terminated, &terminated), "%s", said);
    near(terminated, 0, 0, "terminated after a reset");
    fmi2FreeInstance(c);
}

CHECK(fmi2_takes_no_input_after_termination)
{
    fmi2Component c = fmi2(follower(), fmi2CoSimulation);
    fmi2_initialize(c);
    expect(!set_real(c, MB_INPUT, 2), "%s", said);
    expect(!fmi2Terminate(c), "%s", said);
    expect(set_real(c, MB_INPUT, 3) == fmi2Error, "an input is taken");
    expect(strstr(said, "after termination") != NULL, "\"%s\" does not say why", said);
    near(get_real(c, MB_INPUT), 2, 0, "input");
    near(get_real(c, MB_OUTPUT), 0, 0, "an output may still be read");
    fmi2FreeInstance(c);
}

static void logs(fmi2Boolean on, size_t n, const char *category, const char *right)
{
    fmi2Component c = fmi2(follower(), fmi2CoSimulation);
    expect(!fmi2SetDebugLogging(c, fmi2False, 0, NULL), "%s", said);
    expect(!fmi2SetDebugLogging(c, on, n, &category), "%s", said);
    fmi2_initialize(c);
    expect(!set_real(c, MB_INPUT, 2), "%s", said);
    expect(!fmi2DoStep(c, 0, 1, fmi2True), "%s", said);
    expect(!strcmp(categories, right), "category %s: logged are \"%s\"", category, categories);
    near(get_real(c, MB_STATE), 2, 1e-14, "state");
    fmi2FreeInstance(c);
}

CHECK(events_are_logged_in_their_category_only)
{
    logs(fmi2True, 1, "logEvents", "logEvents ");
    logs(fmi2True, 0, "all", "logEvents ");
    logs(fmi2True, 1, "logAll", "logEvents ");
    logs(fmi2True, 1, "logStatusError", "");
    logs(fmi2False, 1, "logEvents", "");
}

/* Without logging an error is told, for it ends the simulation, but no value that was discarded. */
CHECK(categories_are_switched_one_by_one)
{
    static const char *const discards[] = {"logStatusDiscard"}, *const errors[] = {"logStatusError"};
    static const char *const unknown[] = {"logEvents", "logWeather"};
    fmi2Component c = fmi2(follower(), fmi2CoSimulation);
    expect(!fmi2SetDebugLogging(c, fmi2False, 0, NULL), "%s", said);
    expect(set_real(c, MB_INPUT, NAN) == fmi2Discard && !categories[0], "logged: %s", categories);
    expect(!fmi2SetDebugLogging(c, fmi2True, 1, discards), "%s", said);
    expect(set_real(c, MB_INPUT, NAN) == fmi2Discard, "NaN is taken");
    expect(fmi2SetDebugLogging(c, fmi2True, 2, unknown) == fmi2Error, "an unknown category is taken");
    expect(strstr(said, "logWeather") != NULL, "\"%s\" does not name it", said);
    expect(!strcmp(categories, "logStatusDiscard logStatusError "), "logged: %s", categories);
    expect(!fmi2SetDebugLogging(c, fmi2False, 1, errors), "%s", said);
    expect(fmi2SetDebugLogging(c, fmi2True, 1, NULL) == fmi2Error, "a null pointer is taken");
    expect(!strcmp(categories, "logStatusDiscard logStatusError "), "logged: %s", categories);
    fmi2FreeInstance(c);
}

CHECK(after_an_error_values_may_be_read_but_not_set)
{
    fmi2Component c = fmi2(follower(), fmi2CoSimulation);
    fmi2_initialize(c);
    expect(!fmi2DoStep(c, 0, 1, fmi2True), "%s", said);
    expect(set_real(c, MB_OUTPUT, 2) == fmi2Error, "an output is set");
    near(get_real(c, MB_OUTPUT), 0, 0, "output");
    expect(set_real(c, MB_INPUT, 1) == fmi2Error, "an input is set after an error");
    expect(fmi2DoStep(c, 1, 1, fmi2True) == fmi2Error, "a step is made after an error");
    expect(strstr(said, "after an error") != NULL, "\"%s\" does not say why", said);
    near(get_real(c, MB_INPUT), 0, 0, "input");
    expect(!fmi2Reset(c), "%s", said);
    fmi2_initialize(c);
    expect(!set_real(c, MB_INPUT, 1) && !fmi2DoStep(c, 0, 1, fmi2True), "%s", said);
    fmi2FreeInstance(c);
}

CHECK(an_instance_has_one_of_two_types)
{
    static const fmi2CallbackFunctions functions = {listen, NULL, NULL, NULL, NULL};
    tested_model = follower();
    expect(!fmi2Instantiate("name", (fmi2Type)7, "token", "", &functions, fmi2False, fmi2False),
           "there is an instance of type 7");
    expect(strstr(said, "type 7") != NULL, "\"%s\" does not name it", said);
}

CHECK(fmi2_values_have_their_types)
{
    fmi2Component c = fmi2(follower(), fmi2CoSimulation);
    fmi2_initialize(c);
    set_real(c, MB_INPUT, 2);
    expect(!fmi2DoStep(c, 0, 1, fmi2True), "%s", said);
    const fmi2ValueReference mode = reference(tested_model, MB_DISCRETE, 0);
    const fmi2ValueReference number = reference(tested_model, MB_DISCRETE, 1);
    const fmi2ValueReference method = reference(tested_model, MB_PARAMETER, 1);
    const fmi2ValueReference none = (fmi2ValueReference)tested_model->variables;
    fmi2Boolean is_above = 7;
    fmi2Integer integer = 0;
    expect(!fmi2GetBoolean(c, &mode, 1, &is_above) && is_above == fmi2True, "mode %d", is_above);
    expect(!fmi2GetInteger(c, &number, 1, &integer) && integer == -3, "number %d", integer);
    expect(!fmi2GetInteger(c, &method, 1, &integer) && integer == 1, "method %d", integer);
    near(get_real(c, MB_OUTPUT), 4, 1e-14, "output");
    near(get_real(c, MB_DERIVATIVE), 2, 0, "rate");
    expect(fmi2GetInteger(c, &mode, 1, &integer) == fmi2Error, "a Boolean is an Integer");
    expect(fmi2GetBoolean(c, &number, 1, &is_above) == fmi2Error, "an Integer is a Boolean");
    fmi2Real real;
    expect(fmi2GetReal(c, &none, 1, &real) == fmi2Error, "there is no such variable");
    fmi2FreeInstance(c);
}

CHECK(initial_modes_follow_the_last_start_values)
{
    fmi2Component c = fmi2(follower(), fmi2CoSimulation);
    const fmi2ValueReference mode = reference(tested_model, MB_DISCRETE, 0);
    const fmi2ValueReference number = reference(tested_model, MB_DISCRETE, 1);
    fmi2Boolean is_above;
    fmi2Integer integer;
    expect(!fmi2Reset(c), "%s", said);
    expect(!fmi2GetInteger(c, &number, 1, &integer) && integer == -3, "number %d", integer);
    expect(!fmi2EnterInitializationMode(c), "%s", said);
    for (int i = 0; i < 4; i++) {
        expect(!set_real(c, MB_STATE, i % 2 ? 2 : 0), "%s", said);
        expect(!fmi2GetBoolean(c, &mode, 1, &is_above) && is_above == i % 2, "mode %d", is_above);
    }
    fmi2FreeInstance(c);
}

CHECK(ranges_are_kept)
{
    mb_model *model = follower();
    mb_variable *p = variable(model, MB_PARAMETER, 0);
    *p = (mb_variable){.name = "p0", .kind = MB_PARAMETER, .minimum = -1, .maximum = 2};
    fmi2Component c = fmi2(model, fmi2CoSimulation);
    const double good[] = {-1, 2, 0}, bad[] = {-1.001, 2.001, NAN, INFINITY};
    for (int i = 0; i < 3; i++)
        expect(!set_real(c, MB_PARAMETER, good[i]), "%s", said);
    for (int i = 0; i < 4; i++)
        expect(set_real(c, MB_PARAMETER, bad[i]) == fmi2Discard, "%g is taken", bad[i]);
    near(get_real(c, MB_PARAMETER), 0, 0, "parameter");
    p->minimum = 0;
    p->positive = 1;
    expect(set_real(c, MB_PARAMETER, 0) == fmi2Discard, "0 is positive");
    expect(!set_real(c, MB_PARAMETER, 1), "%s", said);
    fmi2_initialize(c);
    p->tunable = 1;
    expect(!set_real(c, MB_PARAMETER, 2), "%s", said);
    near(get_real(c, MB_PARAMETER), 2, 0, "parameter");
    fmi2FreeInstance(c);
}

static void is_fixed(mb_kind kind, const char *what)
{
    mb_model *model = follower();
    variable(model, MB_PARAMETER, 0)->tunable = 0;
    fmi2Component c = fmi2(model, fmi2CoSimulation);
    fmi2_initialize(c);
    const double before = get_real(c, kind);
    expect(set_real(c, kind, 2) == fmi2Error, "%s is set after initialization", what);
    near(get_real(c, kind), before, 0, what);
    fmi2FreeInstance(c);
}

CHECK(what_is_fixed_cannot_be_set_after_initialization)
{
    is_fixed(MB_PARAMETER, "a fixed parameter");
    is_fixed(MB_STATE, "a state");
    is_fixed(MB_OUTPUT, "an output");
    is_fixed(MB_DERIVATIVE, "a derivative");
}

FUNCTION(parameter_below_three)
{
    res[0][0] = 3 - arg[P][0];
    res[1][0] = arg[P][0];
}

CHECK(a_tunable_parameter_is_checked_with_the_others_again)
{
    static const mb_requirement requirement[] = {
        {.name = "p0", .message = "must be below 3", .when = MB_OF_PARAMETERS}};
    mb_model *model = make_model((mb_model){.ns = 1, .np = 1, .nu = 1, .nq = 1,
                                            .requirement = requirement, .derivative.call = follow,
                                            .require.call = parameter_below_three});
    fmi2Component c = fmi2(model, fmi2CoSimulation);
    fmi2_initialize(c);
    expect(!fmi2DoStep(c, 0, 1, fmi2True), "%s", said);
    expect(!set_real(c, MB_PARAMETER, 4), "%s", said);
    expect(fmi2DoStep(c, 1, 1, fmi2True) == fmi2Discard, "4 is below 3");
    expect(strstr(said, "p0: must be below 3 (it is 4 at t = 1 s)") != NULL, "%s", said);
    expect(!set_real(c, MB_PARAMETER, 2), "%s", said);
    expect(!fmi2DoStep(c, 1, 1, fmi2True), "%s", said);
    fmi2FreeInstance(c);
}

CHECK(messages_are_formats_to_fmi2_loggers)
{
    mb_model *model = follower();
    variable(model, MB_INPUT, 0)->name = "100%s";
    fmi2Component c = fmi2(model, fmi2CoSimulation);
    expect(set_real(c, MB_INPUT, NAN) == fmi2Discard, "NaN is taken");
    expect(strstr(said, "100%%s = nan") != NULL, "%s", said);
    fmi2FreeInstance(c);
}
