/** A question to the person, which the client shows: whether a held message may be sent. */
export interface ClientQuestion {
  /** What the answer is about. */
  id: string;
  text: string;
}

export type ClientAnswer = 'accept' | 'decline' | 'cancel';

/** A client that can ask its user. */
export interface AskingClient {
  /** The answer to the question with this id, where the client repeats a call with it. Any client can claim it. */
  answered?: { id: string; answer: ClientAnswer };
}

/** Ends a call that continues when the client has asked its user and repeats it. Not a failure. */
export class AskClient extends Error {
  override name = 'AskClient';
  readonly question: ClientQuestion;

  constructor(question: ClientQuestion) {
    super('The client asks its user.');
    this.question = question;
  }
}
