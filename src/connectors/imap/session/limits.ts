/** Times in milliseconds. */
export interface SessionLimits {
  /** From resolving the name to the end of the TLS handshake. */
  connectMs: number;
  greetingMs: number;
  /** Without any sign of the server while it owes an answer. */
  silenceMs: number;
  /** Between two looks at the watched folder where the server has no IDLE. */
  pollMs: number;
  /** Between the last command and the return to IDLE: leaving it costs two round trips. */
  quietMs: number;
  /** For saying goodbye. */
  closeMs: number;
}

export const USUAL_LIMITS: SessionLimits = {
  connectMs: 30_000,
  greetingMs: 30_000,
  silenceMs: 120_000,
  pollMs: 60_000,
  quietMs: 100,
  closeMs: 1_000,
};

/** Of each email, what is fetched and parsed: text and headers are in it, attachments are not needed. */
export const MAX_EMAIL_BYTES = 256 * 1_024;
/** What a server may send as one string, or as one line, before the connection is given up. */
export const MAX_LITERAL_BYTES = 128 * 1_024 * 1_024;
export const MAX_LINE_BYTES = 32 * 1_024 * 1_024;
/** What is gone since a state, if it is told at all. */
export const MAX_VANISHED = 1_000_000;
