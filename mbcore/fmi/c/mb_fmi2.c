/* FMI 2.0: Model Exchange and Co-Simulation. Every function says when it may be called, and leaves
 * the rest to the runtime. */
#include "fmi2Functions.h"
#include "mb_instance.h"

static fmi2Status leave(mb_instance *m, mb_status status)
{
    return (fmi2Status)mb_leave(m, status);
}

static fmi2Status not_provided(fmi2Component c, const char *function)
{
    return (fmi2Status)mb_not_provided(c, function);
}

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
    mb_instance *m = mb_create(__func__, instanceName, fmuGUID,
                               fmuType == fmi2CoSimulation ? MB_CO_SIMULATION : MB_MODEL_EXCHANGE,
                               message);
    if (!m) {
        escape(message, escaped, sizeof escaped);
        if (logger)
            logger(environment, instanceName, fmi2Error, "logStatusError", escaped);
        return NULL;
    }
    m->environment = environment;
    m->callback = (void (*)(void))logger;
    m->log = logger ? log_message : NULL;
    m->logging = loggingOn;
    return m;
}

void fmi2FreeInstance(fmi2Component c) { mb_free(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[])
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    return leave(c, mb_set_logging(c, loggingOn, nCategories, categories));
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime)
{
    (void)stopTimeDefined, (void)stopTime; /* the model ends nowhere */
    if (!mb_enter(c, __func__, MB_INSTANTIATED))
        return fmi2Error;
    return leave(c, mb_set_experiment(c, startTime, toleranceDefined, tolerance));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_INSTANTIATED))
        return fmi2Error;
    return leave(c, mb_enter_initialization(c));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_INITIALIZATION))
        return fmi2Error;
    return leave(c, mb_exit_initialization(c));
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
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

/* Model Exchange */

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_CONTINUOUS_TIME | MB_EVENT))
        return fmi2Error;
    return leave(c, mb_enter_event_mode(c));
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *eventInfo)
{
    if (!mb_enter(c, __func__, MB_EVENT))
        return fmi2Error;
    *eventInfo = (fmi2EventInfo){fmi2False, fmi2False, fmi2False, fmi2False, fmi2False, 0};
    int changed = 0;
    const mb_status status = mb_update_discrete_states(c, &changed);
    eventInfo->valuesOfContinuousStatesChanged = changed ? fmi2True : fmi2False;
    return leave(c, status);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    if (!mb_enter(c, __func__, MB_EVENT)) /* which Co-Simulation never is in */
        return fmi2Error;
    return leave(c, mb_leave_event_mode(c, MB_CONTINUOUS_TIME));
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(c, __func__, MB_CONTINUOUS_TIME))
        return fmi2Error;
    int event = 0;
    const mb_status status = mb_completed_step(c, &event);
    *enterEventMode = event ? fmi2True : fmi2False;
    *terminateSimulation = fmi2False;
    return leave(c, status);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    if (!mb_enter(c, __func__, MB_CONTINUOUS_TIME | MB_EVENT))
        return fmi2Error;
    return leave(c, mb_set_time(c, time));
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx)
{
    if (!mb_enter(c, __func__, MB_CONTINUOUS_TIME))
        return fmi2Error;
    return leave(c, mb_set_states(c, x, nx));
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx)
{
    if (!mb_enter(c, __func__, MB_CALCULATING))
        return fmi2Error;
    return leave(c, mb_get_rates(c, derivatives, nx));
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[], size_t ni)
{
    if (!mb_enter(c, __func__, MB_CALCULATING))
        return fmi2Error;
    return leave(c, mb_get_indicators(c, eventIndicators, ni));
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx)
{
    if (!mb_enter(c, __func__, MB_CALCULATING))
        return fmi2Error;
    return leave(c, mb_get_states(c, x, nx));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[], size_t nx)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    return leave(c, mb_get_nominals(c, x_nominal, nx));
}

/* Co-Simulation */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize, fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!mb_enter(c, __func__, MB_STEP))
        return fmi2Error;
    int never;
    return leave(c, mb_do_step(c, currentCommunicationPoint, communicationStepSize, &never));
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    if (s != fmi2LastSuccessfulTime)
        return not_provided(c, __func__);
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    *value = ((mb_instance *)c)->now.t;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value)
{
    if (s != fmi2Terminated)
        return not_provided(c, __func__);
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    *value = ((mb_instance *)c)->terminated;
    return fmi2OK;
}
