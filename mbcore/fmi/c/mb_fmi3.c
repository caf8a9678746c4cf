/* The functions of FMI 3.0 that begin, advance and end an instance; those of its variables are in
 * mb_fmi3_variables.c. Each states the modes in which it may be called and checks its arguments; the
 * work is done by the runtime, which FMI 2.0 shares. */
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
