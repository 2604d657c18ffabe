import { randomUUID } from 'node:crypto';
import { unknown } from '../outcome-error.ts';
import { bareJid } from './jid.ts';
import { NS } from './namespaces.ts';
import type { XmppStream } from './stream.ts';
import { type Element, xml } from './xml.ts';

/** One message as stored in an archive. */
export interface ArchivedMessage {
  /** The archive's id of the message. */
  id: string;
  /** When it was archived; NaN if missing. */
  at: number;
  message: Element;
}

export interface ArchivePage {
  /** Oldest first. */
  kept: readonly ArchivedMessage[];
  oldest?: string;
  newest?: string;
  /** Whether this is the last page in this direction. */
  end: boolean;
}

export interface PageQuery {
  /** Address of the archive: a room; default: the account's own. */
  room?: string | undefined;
  /** Only messages with this address. */
  with?: string | undefined;
  /** Only messages since this time. */
  start?: number;
  /** Only these archive ids. */
  ids?: readonly string[];
  /** Messages before this id; empty for the newest. */
  before?: string;
  /** Messages after this id. */
  after?: string;
  limit: number;
  signal?: AbortSignal;
}

export interface MessageArchive {
  page(query: PageQuery): Promise<ArchivePage>;
  /**
   * The newest matching message within the last pages. With `since` the outcome is `unknown` if these pages do not
   * reach back to that time.
   */
  find(
    query: PageQuery,
    pages: number,
    fits: (kept: ArchivedMessage) => boolean,
    since?: number,
  ): Promise<ArchivedMessage | undefined>;
  /** Handles a stanza that is part of a result. */
  take(stanza: Element): boolean;
}

/** XEP-0313: message archives of the server and of rooms. */
export function createArchive(stream: XmppStream): MessageArchive {
  const open = new Map<string, { from: string; kept: ArchivedMessage[] }>();

  async function page({ room, limit, signal, ...query }: PageQuery): Promise<ArchivePage> {
    const id = randomUUID();
    const collected = { from: room ?? stream.self, kept: [] as ArchivedMessage[] };
    open.set(id, collected);
    try {
      const answer = await stream.request('set', queryOf(id, limit, query), {
        ...(room === undefined ? {} : { to: room }),
        ...(signal === undefined ? {} : { signal }),
      });
      return pageOf(collected.kept, answer);
    } finally {
      open.delete(id);
    }
  }

  return {
    page,
    async find(query, pages, fits, since) {
      let before = query.before ?? '';
      for (let read = 0; read < pages; read++) {
        const { kept, oldest, end } = await page({ ...query, before });
        const found = kept.findLast(fits);
        if (found || end || oldest === undefined || oldest === before) return found;
        if (since !== undefined && kept.some(({ at }) => at < since)) return undefined;
        before = oldest;
      }
      if (since !== undefined) throw unknown('More was said since then than was looked through.');
      return undefined;
    },
    take(stanza) {
      const result = stanza.getChild('result', NS.archive);
      if (!result) return false;
      const collected = open.get(result.attrs.queryid ?? '');
      const kept = keptOf(result);
      // Results are accepted only from the archive itself; others could forge history.
      if (kept && collected && bareJid(stanza.attrs.from ?? stream.self) === collected.from) collected.kept.push(kept);
      return true;
    },
  };
}

function queryOf(
  id: string,
  limit: number,
  { with: peer, start, ids, before, after }: Omit<PageQuery, 'room' | 'limit' | 'signal'>,
): Element {
  const filters = [
    ...(peer === undefined ? [] : [field('with', peer)]),
    ...(start === undefined ? [] : [field('start', new Date(start).toISOString())]),
    ...(ids ? [field('ids', ...ids)] : []),
  ];
  return xml(
    'query',
    { xmlns: NS.archive, queryid: id },
    filters.length === 0
      ? undefined
      : xml('x', { xmlns: NS.form, type: 'submit' }, field('FORM_TYPE', NS.archive), ...filters),
    xml(
      'set',
      NS.resultSet,
      xml('max', {}, String(limit)),
      before === undefined ? undefined : xml('before', {}, ...(before === '' ? [] : [before])),
      after === undefined ? undefined : xml('after', {}, after),
    ),
  );
}

function field(name: string, ...values: string[]): Element {
  return xml('field', { var: name }, ...values.map((value) => xml('value', {}, value)));
}

function pageOf(kept: readonly ArchivedMessage[], answer: Element): ArchivePage {
  const fin = answer.getChild('fin', NS.archive);
  const set = fin?.getChild('set', NS.resultSet);
  // The archive's own fields are read first: an unreadable entry is still a position to continue from.
  const oldest = set?.getChildText('first') || kept[0]?.id;
  const newest = set?.getChildText('last') || kept.at(-1)?.id;
  if (oldest === undefined || newest === undefined) return { kept, end: true };
  return { kept, oldest, newest, end: fin?.attrs.complete === 'true' };
}

function keptOf(result: Element): ArchivedMessage | undefined {
  const forwarded = result.getChild('forwarded', NS.forward);
  const message = forwarded?.getChild('message');
  const { id } = result.attrs;
  if (!id || !message) return undefined;
  return { id, at: Date.parse(forwarded?.getChild('delay', NS.delay)?.attrs.stamp ?? ''), message };
}
