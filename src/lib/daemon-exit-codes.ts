/** Another process holds the lock of the home. */
export const LOCK_HELD = 76;
/** The configuration forbids daemons that come up by themselves. */
export const AUTOSTART_OFF = 75;
