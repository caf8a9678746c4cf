/* What of an instance outlives a call, as bytes, see mb_instance.h; and the list of states that the
 * importer has saved. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mb_instance.h"

/* The lasting numbers in the instance itself lie between these two. */
static const size_t FIRST = offsetof(mb_instance, tolerance), END = offsetof(mb_instance, lasting);

size_t mb_lasting_size(const mb_instance *m)
{
    return 2 * sizeof(double) + (END - FIRST) + m->lasting_size;
}

void mb_save(const mb_instance *m, char *to)
{
    const double times[] = {m->now.t, m->accepted.t};
    memcpy(to, times, sizeof times);
    memcpy(to += sizeof times, (const char *)m + FIRST, END - FIRST);
    memcpy(to + (END - FIRST), m->lasting, m->lasting_size);
}

void mb_restore(mb_instance *m, const char *from)
{
    double times[2];
    memcpy(times, from, sizeof times);
    m->now.t = times[0];
    m->accepted.t = times[1];
    memcpy((char *)m + FIRST, from += sizeof times, END - FIRST);
    memcpy(m->lasting, from + (END - FIRST), m->lasting_size);
}

void mb_add_link(mb_instance *m, mb_link *link)
{
    link->previous = NULL;
    link->next = m->states;
    if (link->next)
        link->next->previous = link;
    m->states = link;
}

void mb_remove_link(mb_instance *m, const mb_link *link)
{
    if (link->previous)
        link->previous->next = link->next;
    else
        m->states = link->next;
    if (link->next)
        link->next->previous = link->previous;
}

void mb_free_states(mb_instance *m)
{
    for (mb_link *next, *link = m->states; link; link = next) {
        next = link->next;
        free(link);
    }
    m->states = NULL;
}
