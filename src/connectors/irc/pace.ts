/** How long things take; tests are in more of a hurry. */
export interface Pace {
  /** Until a connection is made and signed in. */
  signInMs: number;
  /** After so long without a word the server is asked for one, and after as long again it is gone. */
  silenceMs: number;
  /** Until the server answers a question. */
  answerMs: number;
  /** So many lines at once, then one in this time: servers throw out whoever writes faster. */
  burst: number;
  lineMs: number;
  /** The first wait before a channel is joined again. */
  rejoinMs: number;
  /** How often a nickname that somebody else had is tried again. */
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
