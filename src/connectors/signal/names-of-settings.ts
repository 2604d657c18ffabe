/** As the settings are called. */
export const SETTING_NAMES = { address: '`endpoint`', encryption: '`endpoint`' };
