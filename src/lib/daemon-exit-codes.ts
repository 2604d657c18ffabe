/** Another process holds the lock of the home. */
export const LOCK_HELD = 76;
/** The configuration forbids auto-started daemons. */
export const AUTOSTART_OFF = 75;
