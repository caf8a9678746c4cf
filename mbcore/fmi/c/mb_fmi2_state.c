/* FMI 2.0: the state of an instance, saved and restored; in every mode. */
#include "fmi2Functions.h"
#include "mb_calls.h"

static fmi2Status leave(mb_instance *m, mb_status status)
{
    return (fmi2Status)mb_leave(m, status);
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    return leave(c, mb_get_state(c, FMUstate));
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    return leave(c, mb_set_state(c, FMUstate));
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    return leave(c, mb_free_state(c, FMUstate));
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    return leave(c, mb_serialized_size(c, FMUstate, size));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[],
                                 size_t size)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    return leave(c, mb_serialize(c, FMUstate, (unsigned char *)serializedState, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate *FMUstate)
{
    if (!mb_enter(c, __func__, MB_ANY_MODE))
        return fmi2Error;
    return leave(c, mb_deserialize(c, (const unsigned char *)serializedState, size, FMUstate));
}
