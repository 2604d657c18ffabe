import type { Origin } from './origin.ts';
import type { Principal } from './principal.ts';

/** The client that is told what an endpoint offers. */
export interface Audience {
  principal: Principal;
  /** Its process, if it is on this machine. */
  origin?: Origin | undefined;
}

/** Our own words, and names that others have chosen, which follow them as a list. */
export interface Introduction {
  text: string;
  names?: readonly string[];
  /** What others write about themselves; shown as far as there is space. */
  quotes?: readonly { by: string; text: string }[];
}

/** The name of a tool on this endpoint, by its name on the endpoint of its capability; undefined if it is not listed. */
export type ToolNamed = (tool: string) => string | undefined;

/** What models are told of a capability, and which of its tools can work. Answers from memory. */
export interface Guide {
  /** Resolves when what is configured is known. */
  ready?(): Promise<void>;
  /** For the instructions of an endpoint. */
  introduction?(audience: Audience, named: ToolNamed): Introduction | undefined;
  /** Whether a tool can do anything for this client at this time; the others are not listed, but answered. */
  canWork?(tool: string, audience: Audience): boolean;
  /** What is connected, after the description of a tool. */
  describe?(tool: string, audience: Audience): Introduction | undefined;
  /** Calls back when one of these answers may be another. Returns how to stop that. */
  onChange?(listener: () => void): () => void;
}
