import type { Connection, Host, Login, LoginHost, LogoutEnd } from '../../connectors/connector.ts';
import type { SourceView } from '../sources.ts';

/** A source as it was configured, with how to reach it. */
export interface SourceDefinition {
  id: string;
  kind: string;
  name: string;
  configuredIn: SourceView['configuredIn'];
  /** Messages older than this are deleted. */
  keepDays?: number;
  /** How much of the network's history is fetched. */
  history?: { days: number; messages: number };
  canStream: boolean;
  canSend: boolean;
  speaksForPerson?: boolean;
  /** What to use instead, where `canSend` is false. */
  howToSend?: string;
  /** What to use instead of removing it from chat, where another capability provides it. */
  howToRemove?: string;
  howToConnect: string;
  /** The command that connects it again after it was signed off; default: `chat login`. */
  signOnCommand?: string;
  /** Interactive sign-in, if its network needs one. */
  login?(host: LoginHost): Login;
  /** Revokes the session of that sign-in and deletes its secrets. */
  logout?(host: LoginHost): Promise<LogoutEnd>;
  /** Opens its connection; missing for archives and for sources that messages are posted to. */
  open?(host: Host): Promise<Connection>;
  /** Does not keep the process running when no client is connected. */
  isAside?: boolean;
  /** Why it cannot be connected at all, written by us: it is listed, but not connected. */
  unavailable?: string;
  /** Changes with every setting that the connection depends on. */
  fingerprint: string;
}
