/* The functions of FMI 2.0. Each states the modes in which it may be called and checks its arguments;
 * the work is done by the runtime, which FMI 3.0 shares. */
#include <math.h>
#include <stdio.h>

#include "fmi2Functions.h"
#include "mb_calls.h"

static fmi2Status leave(mb_instance *m, mb_status status)
{
    return (fmi2Status)mb_leave(m, status);
}

/* A function that hands its arguments to the runtime, where these modes allow it. */
#define CALL(function, arguments, modes, work)                                                     \
    fmi2Status function arguments                                                                  \
    {                                                                                              \
        return mb_enter(c, __func__, modes) ? leave(c, work) : fmi2Error;                          \
    }

/* Both interfaces */

/* The importer's logger takes the message for a format. */
static void escape(const char *message, char *escaped, size_t size)
{
    size_t n = 0;
    for (; *message && n + 2 < size; message++) {
        if (*message == '%')
            escaped[n++] = '%';
        escaped[n++] = *message;
    }
    escaped[n] = '\0';
}

static void log_message(mb_instance *m, mb_status status, const char *category,
                        const char *message)
{
    char escaped[2 * MB_MESSAGE];
    escape(message, escaped, sizeof escaped);
    ((fmi2CallbackLogger)m->callback)(m->environment, m->instance_name, (fmi2Status)status,
                                      category, escaped);
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn)
{
    (void)fmuResourceLocation, (void)visible;
    const fmi2CallbackLogger logger = functions ? functions->logger : NULL;
    fmi2ComponentEnvironment environment = functions ? functions->componentEnvironment : NULL;
    char message[MB_MESSAGE], escaped[2 * MB_MESSAGE];
    mb_instance *m = NULL;
    if (fmuType == fmi2CoSimulation || fmuType == fmi2ModelExchange)
        m = mb_create(__func__, instanceName, fmuGUID,
                      fmuType == fmi2CoSimulation ? MB_CO_SIMULATION : MB_MODEL_EXCHANGE, message);
    else
        snprintf(message, sizeof message,
                 "%s: the type %d is neither fmi2ModelExchange (0) nor fmi2CoSimulation (1)",
                 __func__, (int)fmuType);
    if (!m) {
        escape(message, escaped, sizeof escaped);
        if (logger)
            logger(environment, instanceName ? instanceName : "", fmi2Error, "logStatusError",
                   escaped);
        return NULL;
    }
    m->environment = environment;
    m->callback = (void (*)(void))logger;
    m->log = logger ? log_message : NULL;
    mb_start_logging(m, loggingOn, MB_LOG_WARNING | MB_LOG_ERROR | MB_LOG_FATAL);
    return m;
}

void fmi2FreeInstance(fmi2Component c) { mb_free(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[])
{
    if (!mb_enter(c, __func__, MB_ANY_MODE) ||
        !mb_given_all(c, nCategories, categories, "categories"))
        return fmi2Error;
    return leave(c, mb_set_logging(c, loggingOn, nCategories, categories));
}

CALL(fmi2SetupExperiment,
     (fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,
      fmi2Boolean stopTimeDefined, fmi2Real stopTime),
     MB_INSTANTIATED, mb_set_up(c, startTime, toleranceDefined, tolerance, stopTimeDefined, stopTime))
CALL(fmi2EnterInitializationMode, (fmi2Component c), MB_INSTANTIATED, mb_enter_initialization(c))
CALL(fmi2ExitInitializationMode, (fmi2Component c), MB_INITIALIZATION, mb_exit_initialization(c))

fmi2Status fmi2Terminate(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_RUNNING))
        return fmi2Error;
    ((mb_instance *)c)->mode = MB_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    mb_reset(c);
    return fmi2OK;
}

/* Variables */

enum {
    REALS = MB_OF_TYPE(MB_REAL),
    INTEGERS = MB_OF_TYPE(MB_INTEGER) | MB_OF_TYPE(MB_ENUMERATION),
    BOOLEANS = MB_OF_TYPE(MB_BOOLEAN),
    NOTHING = 0 /* no variable is a string, so each is refused by its name */
};

static int enter_values(mb_instance *m, const char *function, unsigned modes,
                        const fmi2ValueReference vr[], size_t nvr, const void *value)
{
    return mb_enter(m, function, modes) && mb_given_all(m, nvr, vr, "vr") &&
           mb_given_all(m, nvr, value, "value");
}

MB_ACCESS(real, fmi2Real, number)
MB_ACCESS(integer, fmi2Integer, lround(number))
MB_ACCESS(boolean, fmi2Boolean, number > 0.5)

/* The getter and the setter of a type of values, for variables of these types. */
#define VALUES(getter, setter, type, types, put, take)                                             \
    fmi2Status getter(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, type value[])    \
    {                                                                                              \
        if (!enter_values(c, __func__, MB_ANY_MODE, vr, nvr, value))                               \
            return fmi2Error;                                                                      \
        return leave(c, mb_get_variables(c, types, vr, nvr, put, value));                          \
    }                                                                                              \
    fmi2Status setter(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,                  \
                      const type value[])                                                          \
    {                                                                                              \
        if (!enter_values(c, __func__, MB_SETTABLE, vr, nvr, value))                               \
            return fmi2Error;                                                                      \
        return leave(c, mb_set_variables(c, types, vr, nvr, take, value));                         \
    }

VALUES(fmi2GetReal, fmi2SetReal, fmi2Real, REALS, put_real, take_real)
VALUES(fmi2GetInteger, fmi2SetInteger, fmi2Integer, INTEGERS, put_integer, take_integer)
VALUES(fmi2GetBoolean, fmi2SetBoolean, fmi2Boolean, BOOLEANS, put_boolean, take_boolean)
VALUES(fmi2GetString, fmi2SetString, fmi2String, NOTHING, NULL, NULL)

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[],
                                        size_t nUnknown, const fmi2ValueReference vKnown_ref[],
                                        size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[])
{
    if (!mb_enter(c, __func__, MB_CALCULATING) ||
        !mb_given_all(c, nUnknown, vUnknown_ref, "vUnknown_ref") ||
        !mb_given_all(c, nKnown, vKnown_ref, "vKnown_ref") ||
        !mb_given_all(c, nKnown, dvKnown, "dvKnown") ||
        !mb_given_all(c, nUnknown, dvUnknown, "dvUnknown"))
        return fmi2Error;
    const mb_partial of = {vUnknown_ref, vKnown_ref, nUnknown, nKnown, 0};
    return (fmi2Status)mb_leave(c, mb_directional(c, &of, dvKnown, dvUnknown));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    mb_instance *m = c;
    if (!mb_enter(m, __func__, MB_INSTANTIATED | MB_INITIALIZATION | MB_STEP | MB_CO_SIMULATION_ONLY) ||
        !mb_given_all(m, nvr, vr, "vr") || !mb_given_all(m, nvr, order, "order") ||
        !mb_given_all(m, nvr, value, "value"))
        return fmi2Error;
    mb_status status = MB_OK;
    for (size_t i = 0; !status && i < nvr; i++)
        status = mb_check_input_derivative(m, vr[i], order[i], value[i]);
    for (size_t i = 0; !status && i < nvr; i++)
        mb_set_input_derivative(m, vr[i], order[i], value[i]);
    return (fmi2Status)mb_leave(m, status);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[])
{
    mb_instance *m = c;
    if (!mb_enter(m, __func__, MB_STEP | MB_TERMINATED | MB_FAILED | MB_CO_SIMULATION_ONLY) ||
        !mb_given_all(m, nvr, vr, "vr") || !mb_given_all(m, nvr, order, "order") ||
        !mb_given_all(m, nvr, value, "value"))
        return fmi2Error;
    return (fmi2Status)mb_leave(m, mb_get_output_rates(m, vr, order, nvr, value));
}

/* Model Exchange */

CALL(fmi2EnterEventMode, (fmi2Component c),
     MB_CONTINUOUS_TIME | MB_EVENT | MB_MODEL_EXCHANGE_ONLY, mb_enter_event_mode(c))

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *eventInfo)
{
    if (!mb_enter(c, __func__, MB_EVENT | MB_MODEL_EXCHANGE_ONLY) ||
        !mb_given(c, eventInfo, "eventInfo"))
        return fmi2Error;
    *eventInfo = (fmi2EventInfo){fmi2False, fmi2False, fmi2False, fmi2False, fmi2False, 0};
    int changed = 0;
    const mb_status status = mb_update_discrete_states(c, &changed);
    eventInfo->valuesOfContinuousStatesChanged = changed ? fmi2True : fmi2False;
    const double next = status ? INFINITY : mb_next_event_time(c);
    if (isfinite(next)) {
        eventInfo->nextEventTimeDefined = fmi2True;
        eventInfo->nextEventTime = next;
    }
    return leave(c, status);
}

CALL(fmi2EnterContinuousTimeMode, (fmi2Component c),
     MB_EVENT | MB_MODEL_EXCHANGE_ONLY, mb_leave_event_mode(c, MB_CONTINUOUS_TIME))

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(c, __func__, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY) ||
        !mb_given(c, enterEventMode, "enterEventMode") ||
        !mb_given(c, terminateSimulation, "terminateSimulation"))
        return fmi2Error;
    int event = 0;
    const mb_status status = mb_completed_step(c, &event);
    *enterEventMode = event ? fmi2True : fmi2False;
    *terminateSimulation = fmi2False;
    return leave(c, status);
}

CALL(fmi2SetTime, (fmi2Component c, fmi2Real time),
     MB_CONTINUOUS_TIME | MB_EVENT | MB_MODEL_EXCHANGE_ONLY, mb_set_time(c, time))

/* The same of a function of an array, for Model Exchange. */
#define CALL_ARRAY(function, type, array, modes, work)                                             \
    fmi2Status function(fmi2Component c, type array[], size_t n)                                   \
    {                                                                                              \
        if (!mb_enter(c, __func__, (modes) | MB_MODEL_EXCHANGE_ONLY) ||                            \
            !mb_given_all(c, n, array, #array))                                                    \
            return fmi2Error;                                                                      \
        return leave(c, work(c, array, n));                                                        \
    }

CALL_ARRAY(fmi2SetContinuousStates, const fmi2Real, x, MB_CONTINUOUS_TIME, mb_set_states)
CALL_ARRAY(fmi2GetDerivatives, fmi2Real, derivatives, MB_CALCULATING, mb_get_rates)
CALL_ARRAY(fmi2GetEventIndicators, fmi2Real, eventIndicators, MB_CALCULATING, mb_get_indicators)
CALL_ARRAY(fmi2GetContinuousStates, fmi2Real, x, MB_CALCULATING, mb_get_states)
CALL_ARRAY(fmi2GetNominalsOfContinuousStates, fmi2Real, x_nominal, MB_ANY_MODE, mb_get_nominals)

/* Co-Simulation */

enum { STATUS_MODES = MB_STEP | MB_TERMINATED | MB_CO_SIMULATION_ONLY };

/* A kind of status that the FMU does not have; the simulation may continue. */
static fmi2Status refuse_status_kind(fmi2Component c, const char *function, int kind)
{
    if (!mb_enter(c, function, STATUS_MODES))
        return fmi2Error;
    return leave(c, mb_refuse(c, MB_DISCARD,
                              "the FMU has no status of kind %d; it gives fmi2LastSuccessfulTime "
                              "as a Real and fmi2Terminated as a Boolean",
                              kind));
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize, fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(c, __func__, MB_STEP | MB_CO_SIMULATION_ONLY))
        return fmi2Error;
    int never;
    return leave(c, mb_do_step(c, currentCommunicationPoint, communicationStepSize, &never));
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    if (s != fmi2LastSuccessfulTime)
        return refuse_status_kind(c, __func__, s);
    if (!mb_enter(c, __func__, STATUS_MODES) || !mb_given(c, value, "value"))
        return fmi2Error;
    *value = ((mb_instance *)c)->now.t;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value)
{
    if (s != fmi2Terminated)
        return refuse_status_kind(c, __func__, s);
    if (!mb_enter(c, __func__, STATUS_MODES) || !mb_given(c, value, "value"))
        return fmi2Error;
    *value = ((mb_instance *)c)->terminated;
    return fmi2OK;
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value)
{
    (void)value;
    return refuse_status_kind(c, __func__, s);
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value)
{
    (void)value;
    return refuse_status_kind(c, __func__, s);
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value)
{
    (void)value;
    return refuse_status_kind(c, __func__, s);
}

/* Steps end before they return, so that there is none to be cancelled. */
fmi2Status fmi2CancelStep(fmi2Component c) { return (fmi2Status)mb_not_provided(c, __func__); }

/* The state of an instance, in every mode */

CALL(fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate *FMUstate),
     MB_ANY_MODE, mb_get_state(c, FMUstate))
CALL(fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate FMUstate),
     MB_ANY_MODE, mb_set_state(c, FMUstate))
CALL(fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate *FMUstate),
     MB_ANY_MODE, mb_free_state(c, FMUstate))
CALL(fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate FMUstate, size_t *size),
     MB_ANY_MODE, mb_serialized_size(c, FMUstate, size))
CALL(fmi2SerializeFMUstate,
     (fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[], size_t size),
     MB_ANY_MODE, mb_serialize(c, FMUstate, (unsigned char *)serializedState, size))
CALL(fmi2DeSerializeFMUstate,
     (fmi2Component c, const fmi2Byte serializedState[], size_t size, fmi2FMUstate *FMUstate),
     MB_ANY_MODE, mb_deserialize(c, (const unsigned char *)serializedState, size, FMUstate))
