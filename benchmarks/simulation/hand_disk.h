/* s = (rates of yaw, lean, pitch; yaw, lean, pitch; contact x, y), as the library orders them.
 * Forces of the plane on the disk: along the heading, to its left, upwards. */
void hand_disk(const double s[8], double rate[8]);
void hand_disk_with_forces(const double s[8], double rate[8], double force[3]);
