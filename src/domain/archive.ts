/** The exports of other programs that can become a source. */
export const ARCHIVE_FORMATS = ['telegram', 'whatsapp', 'slack', 'discord', 'irc', 'mbox'] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

/** Which number of a date such as 3/4/24 is the day, the month and the year. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];
