import type { Connection, Host, Login, LoginHost } from '../../connectors/connector.ts';
import type { SourceView } from '../sources.ts';

/** A source as it was configured, with how to reach it. */
export interface SourceDefinition {
  id: string;
  kind: string;
  name: string;
  configuredIn: SourceView['configuredIn'];
  /** Messages older than this are forgotten. */
  keepDays?: number;
  /** How much of what the network has kept is fetched. */
  history?: { days: number; messages: number };
  canStream: boolean;
  canSend: boolean;
  speaksForPerson?: boolean;
  howToConnect: string;
  /** Signs in with the help of a person, where its network needs that. */
  login?(host: LoginHost): Login;
  /** Opens its connection; missing where there is none: archives, and sources that others push to. */
  open?(host: Host): Promise<Connection>;
  /** It goes on beside others, and is no reason for the process to stay when nobody else is there. */
  isAside?: boolean;
  /** Why it cannot be reached at all, in our words: then it is listed, and not connected. */
  unavailable?: string;
  /** Changes when anything does that the connection depends on. */
  fingerprint: string;
}
