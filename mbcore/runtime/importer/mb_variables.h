/* Access to variables by value reference; FMI 2.0 and 3.0 differ in the types of values only. */
#ifndef MB_VARIABLES_H
#define MB_VARIABLES_H

#include "mb_instance.h"

/* Types that a get or set function serves, as bits. */
#define MB_OF_TYPE(type) (1u << (type))

mb_status mb_read(mb_instance *m, unsigned reference, unsigned types, double *value);
int mb_in_range(const mb_variable *v, double value);
mb_status mb_check_write(mb_instance *m, unsigned reference, unsigned types, double value);
void mb_write(mb_instance *m, unsigned reference, double value);

/* The two loops that every getter and every setter consists of. A setter checks all values
 * before it takes the first, so that a refused call changes nothing. */
#define MB_READ_ALL(status, m, types, references, n, values, from_number)                          \
    for (size_t i_ = 0; !(status) && i_ < (n); i_++) {                                             \
        double number_ = 0;                                                                        \
        (status) = mb_read(m, (references)[i_], types, &number_);                                  \
        if (!(status))                                                                             \
            (values)[i_] = from_number(number_);                                                   \
    }

#define MB_WRITE_ALL(status, m, types, references, n, values)                                      \
    do {                                                                                           \
        for (size_t i_ = 0; !(status) && i_ < (n); i_++)                                           \
            (status) = mb_check_write(m, (references)[i_], types, (double)(values)[i_]);           \
        for (size_t i_ = 0; !(status) && i_ < (n); i_++)                                           \
            mb_write(m, (references)[i_], (double)(values)[i_]);                                   \
    } while (0)

#endif
