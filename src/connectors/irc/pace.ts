/** Timeouts and intervals; shorter in tests. */
export interface Pace {
  /** Timeout for connecting and registering. */
  signInMs: number;
  /** After this silence a ping is sent; after the same time again the connection is considered lost. */
  silenceMs: number;
  /** Timeout for a reply. */
  answerMs: number;
  /** Rate limit: so many lines immediately, then one per interval. */
  burst: number;
  lineMs: number;
  /** First delay before rejoining a channel. */
  rejoinMs: number;
  /** Interval of attempts to get our nickname back. */
  regainMs: number;
}

export const USUAL_PACE: Pace = {
  signInMs: 30_000,
  silenceMs: 45_000,
  answerMs: 30_000,
  burst: 5,
  lineMs: 1_000,
  rejoinMs: 5_000,
  regainMs: 60_000,
};
