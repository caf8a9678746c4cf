/* FMI 3.0: the state of an instance, saved and restored; in every mode. */
#include "fmi3Functions.h"
#include "mb_calls.h"

static fmi3Status leave(mb_instance *m, mb_status status)
{
    return (fmi3Status)mb_leave(m, status);
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE))
        return fmi3Error;
    return leave(instance, mb_get_state(instance, FMUState));
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState FMUState)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE))
        return fmi3Error;
    return leave(instance, mb_set_state(instance, FMUState));
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE))
        return fmi3Error;
    return leave(instance, mb_free_state(instance, FMUState));
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState FMUState, size_t *size)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE))
        return fmi3Error;
    return leave(instance, mb_serialized_size(instance, FMUState, size));
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState FMUState,
                                 fmi3Byte serializedState[], size_t size)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE))
        return fmi3Error;
    return leave(instance,
                 mb_serialize(instance, FMUState, (unsigned char *)serializedState, size));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte serializedState[],
                                   size_t size, fmi3FMUState *FMUState)
{
    if (!mb_enter(instance, __func__, MB_ANY_MODE))
        return fmi3Error;
    return leave(instance,
                 mb_deserialize(instance, (const unsigned char *)serializedState, size, FMUState));
}
