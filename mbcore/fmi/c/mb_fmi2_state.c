/* FMI 2.0: the state of an instance, saved and restored. */
#include "fmi2Functions.h"
#include "mb_instance.h"

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    (void)FMUstate;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate)
{
    (void)FMUstate;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    (void)FMUstate;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size)
{
    (void)FMUstate, (void)size;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate,
                                 fmi2Byte serializedState[], size_t size)
{
    (void)FMUstate, (void)serializedState, (void)size;
    return (fmi2Status)mb_not_provided(c, __func__);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate *FMUstate)
{
    (void)serializedState, (void)size, (void)FMUstate;
    return (fmi2Status)mb_not_provided(c, __func__);
}
