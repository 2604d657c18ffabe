import { EventEmitter } from 'node:events';
import { until } from '../mcp/shim-program.ts';

export const ME = { number: '+12025550100', uuid: '0a0a0a0a-0000-4000-8000-000000000001', name: 'Alice' };
export const BOB = { number: '+358401234567', uuid: '0b0b0b0b-0000-4000-8000-000000000002', name: 'Bob' };
export const GROUP = 'Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=';

export type Json = Record<string, unknown>;

/** A failure as signal-cli reports it. */
export class SignalFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown = null) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface SentMessage {
  timestamp: number;
  to: string;
  params: Json;
}

/** Someone who takes notifications; what `take` does not confirm is kept. */
export interface Subscriber {
  take(entry: QueueEntry): void;
}

export interface QueueEntry {
  number: number;
  notification: Json;
}

/** Every method of signal-cli 0.13; others are not implemented. */
const METHODS = new Set(
  'getAttachment finishLink getUserStatus listAccounts listContacts listDevices listGroups receive send sendSyncRequest startLink subscribeReceive unsubscribeReceive version'.split(
    ' ',
  ),
);
const GLOBAL = new Set(['version', 'listAccounts', 'startLink', 'finishLink', 'unsubscribeReceive']);

/** The network and the data of a signal-cli: accounts, people, and the messages that wait to be received. */
export function createSignalModel({ linked = true }: { linked?: boolean } = {}) {
  const accounts = linked ? [{ number: ME.number }] : [];
  const groups: Json[] = [
    { id: GROUP, name: 'Team', isMember: true, isBlocked: false, members: [ME, BOB].map(({ uuid }) => ({ uuid })) },
  ];
  const queue: QueueEntry[] = [];
  const attachments = new Map<string, Buffer>();
  const sent: SentMessage[] = [];
  const scans = new EventEmitter();
  const failures = new Map<string, SignalFailure>();
  let subscriber: Subscriber | undefined;
  let entries = 0;
  let latest = 0;
  let links = 0;

  /** Clients never use a timestamp twice: it is the identity of a message. */
  function nextTimestamp(): number {
    latest = Math.max(Date.now(), latest + 1);
    return latest;
  }

  function deliver(envelope: Json): void {
    const entry = { number: ++entries, notification: { envelope, account: ME.number } };
    queue.push(entry);
    subscriber?.take(entry);
  }

  function send(params: Json): Json {
    const recipients = (params.recipient as string[] | undefined) ?? [];
    const to = String(params.groupId ?? recipients[0] ?? ME.uuid);
    if (params.groupId !== undefined && params.groupId !== GROUP) throw new SignalFailure(-1, 'Group not found');
    const known = to === GROUP || [ME, BOB].some(({ uuid, number }) => to === uuid || to === number);
    const type = known ? 'SUCCESS' : 'UNREGISTERED_FAILURE';
    const timestamp = nextTimestamp();
    const address = { uuid: to === BOB.number ? BOB.uuid : to === GROUP ? BOB.uuid : to, number: null };
    const result = { timestamp, results: [{ recipientAddress: address, type }] };
    if (!known) throw new SignalFailure(-1, 'Failed to send message', { response: result });
    sent.push({ timestamp, to, params });
    return result;
  }

  async function finishLink(params: Json): Promise<Json> {
    const outcome = await new Promise<Json | SignalFailure>((resolve) => {
      scans.once(String(params.deviceLinkUri), resolve);
      scans.emit('waiting', params);
    });
    if (outcome instanceof SignalFailure) throw outcome;
    accounts.push({ number: String(outcome.number) });
    return outcome;
  }

  async function answer(method: string, params: Json): Promise<unknown> {
    if (!METHODS.has(method)) throw new SignalFailure(-32_601, 'Method not implemented');
    if (!GLOBAL.has(method) && !accounts.some(({ number }) => number === params.account)) {
      const why = params.account ? 'Specified account does not exist' : 'Method requires valid account parameter';
      throw new SignalFailure(-32_602, why);
    }
    const failure = failures.get(method);
    if (failure) throw failure;
    switch (method) {
      case 'version':
        return { version: '0.13.19' };
      case 'listAccounts':
        return accounts;
      case 'listContacts':
        return [ME, BOB];
      case 'listGroups':
        return groups;
      case 'send':
        return send(params);
      case 'startLink':
        return {
          deviceLinkUri: `sgnl://linkdevice?uuid=${++links}&pub_key=BYzq6Sdr0AQbNXxYh7bQyw1xWg4Zk9mZ0c9tW1u1aB8x`,
        };
      case 'finishLink':
        return finishLink(params);
      case 'getAttachment': {
        const content = attachments.get(String(params.id));
        if (!content) throw new SignalFailure(-2, `An error occurred reading attachment: ${params.id}`);
        return { data: content.toString('base64') };
      }
      default:
        return {};
    }
  }

  return {
    accounts,
    groups,
    attachments,
    sent,
    scans,
    /** Methods that fail from now on. */
    failures,
    nextTimestamp,
    deliver,
    answer,
    /** Takes over from an earlier subscriber; what waits is given first. */
    subscribe(next: Subscriber): () => void {
      subscriber = next;
      for (const entry of [...queue]) next.take(entry);
      return () => {
        if (subscriber === next) subscriber = undefined;
      };
    },
    /** The message was handed over: signal-cli forgets it. */
    confirm(number: number): void {
      const index = queue.findIndex((entry) => entry.number === number);
      if (index !== -1) queue.splice(index, 1);
    },
    waiting: () => queue.length,
    /** An envelope of a person. */
    envelope(person: typeof ME, timestamp: number, content: Json): Json {
      const { number, uuid, name } = person;
      return {
        source: number,
        sourceNumber: number,
        sourceUuid: uuid,
        sourceName: name,
        sourceDevice: 1,
        timestamp,
        serverReceivedTimestamp: timestamp + 5,
        serverDeliveredTimestamp: timestamp + 9,
        ...content,
      };
    },
    async sentWith(text: string, to: readonly string[]): Promise<SentMessage> {
      let found: SentMessage | undefined;
      await until(`“${text.slice(0, 40)}” was sent`, () => {
        found = sent.find((each) => each.params.message === text && to.includes(each.to));
        return found !== undefined;
      });
      return found as SentMessage;
    },
  };
}

export type SignalModel = ReturnType<typeof createSignalModel>;
