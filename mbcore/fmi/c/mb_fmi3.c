/* The functions of FMI 3.0. Each states the modes in which it may be called and checks its arguments;
 * the work is done by the runtime, which FMI 2.0 shares. */
#include <math.h>

#include "fmi3Functions.h"
#include "mb_calls.h"

static fmi3Status leave(mb_instance *m, mb_status status)
{
    return (fmi3Status)mb_leave(m, status);
}

/* A function that hands its arguments to the runtime, where these modes allow it. */
#define CALL(function, arguments, modes, work)                                                     \
    fmi3Status function arguments                                                                  \
    {                                                                                              \
        return mb_enter(instance, __func__, modes) ? leave(instance, work) : fmi3Error;            \
    }

/* Both interfaces */

static void log_message(mb_instance *m, mb_status status, const char *category,
                        const char *message)
{
    ((fmi3LogMessageCallback)m->callback)(m->environment, (fmi3Status)status, category, message);
}

const char *fmi3GetVersion(void) { return fmi3Version; }

static mb_instance *instantiate(const char *function, mb_interface interface, fmi3String name,
                                fmi3String token, fmi3Boolean logging,
                                fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    char message[MB_MESSAGE];
    mb_instance *m = mb_create(function, name, token, interface, message);
    if (!m) {
        if (log)
            log(environment, fmi3Error, "logStatusError", message);
        return NULL;
    }
    m->environment = environment;
    m->callback = (void (*)(void))log;
    m->log = log ? log_message : NULL;
    mb_start_logging(m, logging, MB_LOG_ERROR | MB_LOG_FATAL);
    m->values_before = m->states_in_events = m->takes_arrays = 1;
    return m;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible,
                                          fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage)
{
    (void)resourcePath, (void)visible;
    return instantiate(__func__, MB_MODEL_EXCHANGE, instanceName, instantiationToken, loggingOn,
                       instanceEnvironment, logMessage);
}

/* Calls the importer between communication points. */
static void update(mb_instance *m)
{
    mb_update *now = &m->update;
    fmi3Boolean early_return = fmi3False;
    fmi3Float64 at = now->return_time;
    ((fmi3IntermediateUpdateCallback)m->intermediate_update)(m->environment, now->t, now->may_set,
                                                             now->may_get, now->step_finished,
                                                             now->can_return_early,
                                                             &early_return, &at);
    now->early_return = early_return;
    now->return_time = at;
}

static mb_status require_intermediate(mb_instance *m, const char *function,
                                      const fmi3ValueReference references[], size_t n,
                                      fmi3IntermediateUpdateCallback callback)
{
    m->function = function;
    m->intermediate_update = (void (*)(void))callback;
    if (callback && n > 0 && !references)
        return mb_refuse(m, MB_ERROR, "there are %lu required intermediate variables at no address",
                         (unsigned long)n);
    return mb_require_intermediate(m, callback ? update : NULL, references, n);
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
    fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
    size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate)
{
    (void)resourcePath, (void)visible;
    mb_instance *m = instantiate(__func__, MB_CO_SIMULATION, instanceName, instantiationToken,
                                 loggingOn, instanceEnvironment, logMessage);
    if (m) {
        m->event_mode_used = eventModeUsed;
        m->early_return_allowed = earlyReturnAllowed;
    }
    if (m && mb_leave(m, require_intermediate(m, __func__, requiredIntermediateVariables,
                                              nRequiredIntermediateVariables, intermediateUpdate))) {
        mb_free(m);
        return NULL;
    }
    return m;
}

/* Not within its own doStep, which still uses the instance; the error ends that step. */
void fmi3FreeInstance(fmi3Instance instance)
{
    mb_instance *m = instance;
    if (m && m->updating)
        (void)mb_enter(m, __func__, MB_ANY_MODE);
    else
        mb_free(m);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[])
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE) ||
        !mb_given_all(instance, nCategories, categories, "categories"))
        return fmi3Error;
    return leave(instance, mb_set_logging(instance, loggingOn, nCategories, categories));
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime)
{
    if (!mb_enter(instance, __func__, MB_INSTANTIATED))
        return fmi3Error;
    mb_status status =
        mb_set_up(instance, startTime, toleranceDefined, tolerance, stopTimeDefined, stopTime);
    if (!status)
        status = mb_enter_initialization(instance);
    return leave(instance, status);
}

CALL(fmi3ExitInitializationMode, (fmi3Instance instance),
     MB_INITIALIZATION, mb_exit_initialization(instance))

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    if (!mb_enter(instance, __func__, MB_RUNNING))
        return fmi3Error;
    ((mb_instance *)instance)->mode = MB_TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE))
        return fmi3Error;
    mb_reset(instance);
    return fmi3OK;
}

/* Variables */

/* The call is refused because there are not as many values as variables have. */
static mb_status refuse_count(mb_instance *m, size_t values, const fmi3ValueReference references[],
                              size_t n)
{
    const size_t wanted = mb_count_values(m, references, n);
    if (wanted == n)
        return mb_refuse(m, MB_ERROR, "%lu values for %lu scalar variables", (unsigned long)values,
                         (unsigned long)n);
    return mb_refuse(m, MB_ERROR, "%lu values for %lu variables with %lu elements",
                     (unsigned long)values, (unsigned long)n, (unsigned long)wanted);
}

/* A setter or getter may be called, and there are as many values as the variables have. */
static int enter_values(mb_instance *m, const char *function, unsigned modes,
                        const fmi3ValueReference references[], size_t n, const void *values,
                        size_t n_values)
{
    if (!mb_enter(m, function, modes | MB_IN_UPDATE) ||
        !mb_given_all(m, n, references, "valueReferences") || !mb_given_all(m, n, values, "values"))
        return 0;
    if (mb_count_values(m, references, n) == n_values)
        return 1;
    mb_leave(m, refuse_count(m, n_values, references, n));
    return 0;
}

static fmi3Status get(mb_instance *m, const char *function, unsigned types,
                      const fmi3ValueReference references[], size_t n, mb_put put, void *values,
                      size_t n_values)
{
    if (!enter_values(m, function, MB_ANY_MODE, references, n, values, n_values))
        return fmi3Error;
    return leave(m, mb_get_variables(m, types, references, n, put, values));
}

static fmi3Status set(mb_instance *m, const char *function, unsigned types,
                      const fmi3ValueReference references[], size_t n, mb_take take,
                      const void *values, size_t n_values)
{
    if (!enter_values(m, function, MB_SETTABLE, references, n, values, n_values))
        return fmi3Error;
    return leave(m, mb_set_variables(m, types, references, n, take, values));
}

static void put_float64(void *values, size_t i, double number) { ((fmi3Float64 *)values)[i] = number; }
static double take_float64(const void *values, size_t i) { return ((const fmi3Float64 *)values)[i]; }

static void put_int32(void *values, size_t i, double number)
{
    ((fmi3Int32 *)values)[i] = (fmi3Int32)lround(number);
}

static double take_int32(const void *values, size_t i) { return ((const fmi3Int32 *)values)[i]; }

static void put_int64(void *values, size_t i, double number)
{
    ((fmi3Int64 *)values)[i] = (fmi3Int64)llround(number);
}

static double take_int64(const void *values, size_t i)
{
    return (double)((const fmi3Int64 *)values)[i];
}

static void put_boolean(void *values, size_t i, double number)
{
    ((fmi3Boolean *)values)[i] = number > 0.5;
}

static double take_boolean(const void *values, size_t i) { return ((const fmi3Boolean *)values)[i]; }

/* The getter and the setter of a type of values, for variables of these types. */
#define VALUES(getter, setter, type, types, put, take)                                             \
    fmi3Status getter(fmi3Instance instance, const fmi3ValueReference references[], size_t n,      \
                      type values[], size_t n_values)                                              \
    {                                                                                              \
        return get(instance, __func__, types, references, n, put, values, n_values);               \
    }                                                                                              \
    fmi3Status setter(fmi3Instance instance, const fmi3ValueReference references[], size_t n,      \
                      const type values[], size_t n_values)                                        \
    {                                                                                              \
        return set(instance, __func__, types, references, n, take, values, n_values);              \
    }

VALUES(fmi3GetFloat64, fmi3SetFloat64, fmi3Float64, MB_OF_TYPE(MB_REAL), put_float64, take_float64)
VALUES(fmi3GetInt32, fmi3SetInt32, fmi3Int32, MB_OF_TYPE(MB_INTEGER), put_int32, take_int32)
VALUES(fmi3GetInt64, fmi3SetInt64, fmi3Int64, MB_OF_TYPE(MB_ENUMERATION), put_int64, take_int64)
VALUES(fmi3GetBoolean, fmi3SetBoolean, fmi3Boolean, MB_OF_TYPE(MB_BOOLEAN), put_boolean, take_boolean)

enum { NOTHING = 0 /* no variable is of these types, so each is refused by its name */ };

VALUES(fmi3GetFloat32, fmi3SetFloat32, fmi3Float32, NOTHING, NULL, NULL)
VALUES(fmi3GetInt8, fmi3SetInt8, fmi3Int8, NOTHING, NULL, NULL)
VALUES(fmi3GetUInt8, fmi3SetUInt8, fmi3UInt8, NOTHING, NULL, NULL)
VALUES(fmi3GetInt16, fmi3SetInt16, fmi3Int16, NOTHING, NULL, NULL)
VALUES(fmi3GetUInt16, fmi3SetUInt16, fmi3UInt16, NOTHING, NULL, NULL)
VALUES(fmi3GetUInt32, fmi3SetUInt32, fmi3UInt32, NOTHING, NULL, NULL)
VALUES(fmi3GetUInt64, fmi3SetUInt64, fmi3UInt64, NOTHING, NULL, NULL)

static fmi3Status refuse_all(mb_instance *m, const char *function, unsigned modes,
                             const fmi3ValueReference references[], size_t n)
{
    if (!mb_enter(m, function, modes) || !mb_given_all(m, n, references, "valueReferences"))
        return fmi3Error;
    return leave(m, mb_get_variables(m, NOTHING, references, n, NULL, NULL));
}

fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, fmi3String values[], size_t nValues)
{
    (void)values, (void)nValues;
    return refuse_all(instance, __func__, MB_ANY_MODE, valueReferences, nValueReferences);
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, const fmi3String values[], size_t nValues)
{
    (void)values, (void)nValues;
    return refuse_all(instance, __func__, MB_SETTABLE, valueReferences, nValueReferences);
}

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, size_t valueSizes[], fmi3Binary values[],
                         size_t nValues)
{
    (void)valueSizes, (void)values, (void)nValues;
    return refuse_all(instance, __func__, MB_ANY_MODE, valueReferences, nValueReferences);
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, const size_t valueSizes[],
                         const fmi3Binary values[], size_t nValues)
{
    (void)valueSizes, (void)values, (void)nValues;
    return refuse_all(instance, __func__, MB_SETTABLE, valueReferences, nValueReferences);
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, fmi3Clock values[])
{
    (void)values;
    return refuse_all(instance, __func__, MB_EVENT, valueReferences, nValueReferences);
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, const fmi3Clock values[])
{
    (void)values;
    return refuse_all(instance, __func__, MB_EVENT, valueReferences, nValueReferences);
}

/* Partial derivatives */

/* Whether the call is allowed, no argument is missing, and the counts agree. */
static int enter_derivatives(mb_instance *m, const char *function, const mb_partial *of, int adjoint,
                 const double *seed, size_t seeds, const double *sensitivity, size_t sensitivities)
{
    if (!mb_enter(m, function, MB_CALCULATING) ||
        !mb_given_all(m, of->unknowns, of->unknown, "unknowns") ||
        !mb_given_all(m, of->knowns, of->known, "knowns") ||
        !mb_given_all(m, seeds, seed, "seed") ||
        !mb_given_all(m, sensitivities, sensitivity, "sensitivity"))
        return 0;
    const size_t unknowns = mb_count_values(m, of->unknown, of->unknowns);
    const size_t knowns = mb_count_values(m, of->known, of->knowns);
    const size_t given = adjoint ? unknowns : knowns, wanted = adjoint ? knowns : unknowns;
    if (seeds == given && sensitivities == wanted)
        return 1;
    mb_leave(m, mb_refuse(m, MB_ERROR,
                          "%lu seeds for %lu %s, and %lu sensitivities for %lu",
                          (unsigned long)seeds, (unsigned long)given,
                          MB_MODEL->arrays ? "elements of variables" : "scalar variables",
                          (unsigned long)sensitivities, (unsigned long)wanted));
    return 0;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t nUnknowns, const fmi3ValueReference knowns[],
                                        size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                        fmi3Float64 sensitivity[], size_t nSensitivity)
{
    const mb_partial of = {unknowns, knowns, nUnknowns, nKnowns, 1};
    if (!enter_derivatives(instance, __func__, &of, 0, seed, nSeed, sensitivity, nSensitivity))
        return fmi3Error;
    return (fmi3Status)mb_leave(instance, mb_directional(instance, &of, seed, sensitivity));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t nUnknowns, const fmi3ValueReference knowns[],
                                    size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                    fmi3Float64 sensitivity[], size_t nSensitivity)
{
    const mb_partial of = {unknowns, knowns, nUnknowns, nKnowns, 1};
    if (!enter_derivatives(instance, __func__, &of, 1, seed, nSeed, sensitivity, nSensitivity))
        return fmi3Error;
    return (fmi3Status)mb_leave(instance, mb_adjoint(instance, &of, seed, sensitivity));
}

/* Events */

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    mb_instance *m = instance;
    unsigned modes = MB_CONTINUOUS_TIME;
    if (m && m->event_mode_used)
        modes |= MB_STEP;
    if (!mb_enter(m, __func__, modes))
        return fmi3Error;
    return leave(m, mb_enter_event_mode(m));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsOfContinuousStatesChanged,
                                    fmi3Boolean *valuesOfContinuousStatesChanged,
                                    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime)
{
    if (!mb_enter(instance, __func__, MB_EVENT) ||
        !mb_given(instance, discreteStatesNeedUpdate, "discreteStatesNeedUpdate") ||
        !mb_given(instance, terminateSimulation, "terminateSimulation") ||
        !mb_given(instance, nominalsOfContinuousStatesChanged,
                  "nominalsOfContinuousStatesChanged") ||
        !mb_given(instance, valuesOfContinuousStatesChanged, "valuesOfContinuousStatesChanged") ||
        !mb_given(instance, nextEventTimeDefined, "nextEventTimeDefined") ||
        !mb_given(instance, nextEventTime, "nextEventTime"))
        return fmi3Error;
    *discreteStatesNeedUpdate = *terminateSimulation = fmi3False;
    *nominalsOfContinuousStatesChanged = *valuesOfContinuousStatesChanged = fmi3False;
    *nextEventTimeDefined = fmi3False;
    *nextEventTime = 0;
    int changed = 0;
    const mb_status status = mb_update_discrete_states(instance, &changed);
    *valuesOfContinuousStatesChanged = changed;
    const double next = status ? INFINITY : mb_next_event_time(instance);
    if (isfinite(next)) {
        *nextEventTimeDefined = fmi3True;
        *nextEventTime = next;
    }
    return leave(instance, status);
}

/* Model Exchange */

CALL(fmi3EnterContinuousTimeMode, (fmi3Instance instance),
     MB_EVENT | MB_MODEL_EXCHANGE_ONLY, mb_leave_event_mode(instance, MB_CONTINUOUS_TIME))

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance,
                                       fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode,
                                       fmi3Boolean *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(instance, __func__, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY) ||
        !mb_given(instance, enterEventMode, "enterEventMode") ||
        !mb_given(instance, terminateSimulation, "terminateSimulation"))
        return fmi3Error;
    int event = 0;
    const mb_status status = mb_completed_step(instance, &event);
    *enterEventMode = event;
    *terminateSimulation = fmi3False;
    return leave(instance, status);
}

CALL(fmi3SetTime, (fmi3Instance instance, fmi3Float64 time),
     MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, mb_set_time(instance, time))

/* The same of a function of an array, for Model Exchange. */
#define CALL_ARRAY(function, type, array, modes, work)                                             \
    fmi3Status function(fmi3Instance instance, type array[], size_t n)                             \
    {                                                                                              \
        if (!mb_enter(instance, __func__, (modes) | MB_MODEL_EXCHANGE_ONLY) ||                     \
            !mb_given_all(instance, n, array, #array))                                             \
            return fmi3Error;                                                                      \
        return leave(instance, work(instance, array, n));                                          \
    }

CALL_ARRAY(fmi3SetContinuousStates, const fmi3Float64, continuousStates,
           MB_CONTINUOUS_TIME, mb_set_states)
CALL_ARRAY(fmi3GetContinuousStateDerivatives, fmi3Float64, derivatives,
           MB_CALCULATING, mb_get_rates)
CALL_ARRAY(fmi3GetEventIndicators, fmi3Float64, eventIndicators, MB_CALCULATING, mb_get_indicators)
CALL_ARRAY(fmi3GetContinuousStates, fmi3Float64, continuousStates, MB_CALCULATING, mb_get_states)
CALL_ARRAY(fmi3GetNominalsOfContinuousStates, fmi3Float64, nominals,
           MB_CALCULATING, mb_get_nominals)

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *nEventIndicators)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE | MB_MODEL_EXCHANGE_ONLY) ||
        !mb_given(instance, nEventIndicators, "nEventIndicators"))
        return fmi3Error;
    *nEventIndicators = (size_t)mb_generated_model.ne;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *nContinuousStates)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE | MB_MODEL_EXCHANGE_ONLY) ||
        !mb_given(instance, nContinuousStates, "nContinuousStates"))
        return fmi3Error;
    *nContinuousStates = (size_t)mb_generated_model.ns;
    return fmi3OK;
}

/* Co-Simulation */

CALL(fmi3EnterStepMode, (fmi3Instance instance),
     MB_EVENT | MB_CO_SIMULATION_ONLY, mb_leave_event_mode(instance, MB_STEP))

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime)
{
    mb_instance *m = instance;
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(m, __func__, MB_STEP | MB_CO_SIMULATION_ONLY) ||
        !mb_given(m, eventHandlingNeeded, "eventHandlingNeeded") ||
        !mb_given(m, terminateSimulation, "terminateSimulation") ||
        !mb_given(m, earlyReturn, "earlyReturn") ||
        !mb_given(m, lastSuccessfulTime, "lastSuccessfulTime"))
        return fmi3Error;
    int event = 0;
    const mb_status status =
        mb_do_step(m, currentCommunicationPoint, communicationStepSize, &event);
    *eventHandlingNeeded = event;
    *earlyReturn = !status && m->now.t < currentCommunicationPoint + communicationStepSize;
    *terminateSimulation = m->terminated;
    *lastSuccessfulTime = m->now.t;
    return leave(m, status);
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t nValues)
{
    mb_instance *m = instance;
    const unsigned modes = MB_STEP | MB_TERMINATED | MB_FAILED | MB_IN_UPDATE;
    if (!mb_enter(m, __func__, modes | MB_CO_SIMULATION_ONLY) ||
        !mb_given_all(m, nValueReferences, valueReferences, "valueReferences") ||
        !mb_given_all(m, nValueReferences, orders, "orders") ||
        !mb_given_all(m, nValues, values, "values"))
        return fmi3Error;
    if (nValues != mb_count_values(m, valueReferences, nValueReferences))
        return (fmi3Status)mb_leave(m, refuse_count(m, nValues, valueReferences, nValueReferences));
    return (fmi3Status)mb_leave(
        m, mb_get_output_rates(m, valueReferences, orders, nValueReferences, values));
}

/* The state of an instance, in every mode */

CALL(fmi3GetFMUState, (fmi3Instance instance, fmi3FMUState *FMUState),
     MB_ANY_MODE, mb_get_state(instance, FMUState))
CALL(fmi3SetFMUState, (fmi3Instance instance, fmi3FMUState FMUState),
     MB_ANY_MODE, mb_set_state(instance, FMUState))
CALL(fmi3FreeFMUState, (fmi3Instance instance, fmi3FMUState *FMUState),
     MB_ANY_MODE, mb_free_state(instance, FMUState))
CALL(fmi3SerializedFMUStateSize, (fmi3Instance instance, fmi3FMUState FMUState, size_t *size),
     MB_ANY_MODE, mb_serialized_size(instance, FMUState, size))
CALL(fmi3SerializeFMUState,
     (fmi3Instance instance, fmi3FMUState FMUState, fmi3Byte serializedState[], size_t size),
     MB_ANY_MODE, mb_serialize(instance, FMUState, (unsigned char *)serializedState, size))
CALL(fmi3DeserializeFMUState,
     (fmi3Instance instance, const fmi3Byte serializedState[], size_t size, fmi3FMUState *FMUState),
     MB_ANY_MODE, mb_deserialize(instance, (const unsigned char *)serializedState, size, FMUState))
