/** A source as operations see it: what it is, whether it is reached, and how much of it is known. */
export interface SourceView {
  id: string;
  kind: string;
  name: string;
  isConnected: boolean;
  /** Whether new messages arrive by themselves. */
  canStream: boolean;
  canSend: boolean;
  configuredIn: 'file' | 'store' | 'built-in';
  state: 'connected' | 'connecting' | 'waiting' | 'rejected' | 'stopped' | 'archive';
  /** Since when nothing new can have arrived, in milliseconds. */
  staleSince?: number;
  /** Why it is not connected, in our words. */
  problem?: string;
  /** What a person does to connect it. */
  howToConnect: string;
  /** Whether something of it is here, or was found to be empty. */
  everSynced: boolean;
  messages: number;
  historyBackTo?: number;
  /** Everything the network has kept is here. */
  historyComplete?: boolean;
  /** Older messages that are being fetched. */
  fetching?: { done: number };
}

/** All sources, in the order of their ids. */
export interface Sources {
  list(): Promise<readonly SourceView[]>;
  find(id: string): Promise<SourceView | undefined>;
}
