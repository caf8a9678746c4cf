/* FMI 3.0: the state of an instance, saved and restored. */
#include "fmi3Functions.h"
#include "mb_instance.h"

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    (void)FMUState;
    return (fmi3Status)mb_not_provided(instance, __func__);
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState FMUState)
{
    (void)FMUState;
    return (fmi3Status)mb_not_provided(instance, __func__);
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    (void)FMUState;
    return (fmi3Status)mb_not_provided(instance, __func__);
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState FMUState, size_t *size)
{
    (void)FMUState, (void)size;
    return (fmi3Status)mb_not_provided(instance, __func__);
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState FMUState,
                                 fmi3Byte serializedState[], size_t size)
{
    (void)FMUState, (void)serializedState, (void)size;
    return (fmi3Status)mb_not_provided(instance, __func__);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte serializedState[],
                                   size_t size, fmi3FMUState *FMUState)
{
    (void)serializedState, (void)size, (void)FMUState;
    return (fmi3Status)mb_not_provided(instance, __func__);
}
