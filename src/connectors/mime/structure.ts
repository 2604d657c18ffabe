import { boundaryOf, partRanges } from './boundaries.ts';
import { decodeWords } from './encoded-words.ts';
import { type HeaderBlock, readHeader } from './header-fields.ts';
import { oneLine } from './one-line.ts';
import { fieldOf, PART_HEADERS, type Part, toPart } from './part.ts';
import type { Problem } from './problems.ts';

const MAX_DEPTH = 30;
const MAX_PARTS = 1_000;
const MAX_SUBJECT = 200;
const EMBEDDED_HEADERS: ReadonlySet<string> = new Set([...PART_HEADERS, 'from', 'date', 'subject']);

/** What a reader is shown: a text, several one after the other, or one of several. */
export type BodyNode =
  | { kind: 'plain' | 'html' | 'calendar'; part: Part }
  /** The headers of an email within the email. */
  | { kind: 'heading'; text: string }
  | { kind: 'sequence' | 'alternatives'; nodes: readonly BodyNode[] };

export interface Attached {
  part: Part;
  name: string | undefined;
  /** Whether it belongs to an HTML text. */
  isRelated: boolean;
}

export interface Structure {
  body: BodyNode | undefined;
  attached: readonly Attached[];
}

/** Where a part is found. */
interface Place {
  depth: number;
  /** The subtype of the multipart around it. */
  within: string;
  isRelated: boolean;
  /** In an email that is attached: its text is not part of ours. */
  isEmbedded: boolean;
}

const ROOT: Place = { depth: 0, within: '', isRelated: false, isEmbedded: false };
const SIGNATURES = new Set([
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
]);
const SIGNED_CONTAINERS = new Set(['application/pkcs7-mime', 'application/x-pkcs7-mime']);
const TNEF = new Set(['application/ms-tnef', 'application/vnd.ms-tnef']);
const KINDS: ReadonlyMap<string, 'plain' | 'html' | 'calendar'> = new Map([
  ['text/plain', 'plain'],
  ['text/markdown', 'plain'],
  ['text/x-markdown', 'plain'],
  ['text/html', 'html'],
  ['text/enriched', 'html'],
  ['text/richtext', 'html'],
  ['text/calendar', 'calendar'],
]);
/** Other forms of the same text, for programs that know them. */
const OTHER_FORMS = new Set(['text/x-amp-html', 'text/watch-html']);

/** Finds the texts and attachments of an email. Its content is only searched for boundaries. */
export function readStructure(
  bytes: Buffer,
  header: HeaderBlock,
  report: (problem: Problem) => void,
  { showsEmbedded = false }: { showsEmbedded?: boolean } = {},
): Structure {
  const attached: Attached[] = [];
  let [count, hasText] = [0, false];

  /** Parts of a multipart are `prefix.1`, `prefix.2`; a body without parts is `prefix.1`. */
  function message(block: HeaderBlock, end: number, prefix: string, place: Place): BodyNode | undefined {
    const part = toPart(block, numbered(prefix, 1), end);
    return part.mime.startsWith('multipart/') ? multipart(part, prefix, place) : leaf(part, place);
  }

  function multipart(part: Part, prefix: string, place: Place): BodyNode | undefined {
    const subtype = part.mime.slice('multipart/'.length);
    if (subtype === 'encrypted') report('encrypted');
    if (place.depth >= MAX_DEPTH) {
      report('tooDeep');
      return undefined;
    }
    const boundary = boundaryOf(bytes, part.start, part.end, part.parameters.get('boundary'));
    const isRelated = place.isRelated || subtype === 'related';
    const inside = { ...place, depth: place.depth + 1, within: subtype, isRelated };
    const nodes = boundary === undefined ? undefined : children(part, boundary, prefix, inside);
    return nodes === undefined ? undivided(part, prefix, place) : combined(subtype, nodes);
  }

  function undivided(part: Part, prefix: string, place: Place): BodyNode | undefined {
    if (part.end > part.start) report('noBoundary');
    return leaf({ ...part, mime: 'text/plain', number: numbered(prefix, 1) }, place);
  }

  /** Undefined if there are no parts. */
  function children(part: Part, boundary: string, prefix: string, place: Place): BodyNode[] | undefined {
    const usual = place.within === 'digest' ? 'message/rfc822' : 'text/plain';
    const nodes: BodyNode[] = [];
    let index = 0;
    for (const { start, end, isEnded } of partRanges(bytes, part.start, part.end, boundary)) {
      count += 1;
      if (count > MAX_PARTS) {
        report('tooManyParts');
        break;
      }
      if (!isEnded) report('unended');
      index += 1;
      const number = numbered(prefix, index);
      const child = toPart(readHeader(bytes, start, end, PART_HEADERS), number, end, usual);
      const node = child.mime.startsWith('multipart/') ? multipart(child, number, place) : leaf(child, place);
      if (node) nodes.push(node);
    }
    return index === 0 && count <= MAX_PARTS ? undefined : nodes;
  }

  function leaf(part: Part, place: Place): BodyNode | undefined {
    const kind = KINDS.get(part.mime);
    if (kind !== undefined && kind !== 'calendar' && isText(part)) {
      hasText ||= !place.isEmbedded;
      return place.isEmbedded ? undefined : { kind, part };
    }
    if (place.within === 'signed' && SIGNATURES.has(part.mime)) return undefined;
    if (OTHER_FORMS.has(part.mime) && part.name === undefined) return undefined;
    if (!place.isEmbedded) reportContainer(part);
    if (part.mime === 'message/rfc822' || part.mime === 'message/global') return attachMessage(part, place);
    attached.push({ part, name: part.name ?? usualName(part), isRelated: place.isRelated });
    return kind === 'calendar' && !place.isEmbedded ? { kind, part } : undefined;
  }

  /** A text with a file name is an attachment if there is another text before it. */
  function isText({ disposition, name }: Part): boolean {
    return disposition !== 'attachment' && (name === undefined || !hasText);
  }

  function reportContainer({ mime, parameters, name }: Part): void {
    if (TNEF.has(mime) || name?.toLowerCase() === 'winmail.dat') report('tnef');
    if (SIGNED_CONTAINERS.has(mime)) {
      report(parameters.get('smime-type')?.toLowerCase() === 'signed-data' ? 'signedContainer' : 'encrypted');
    }
  }

  /** The email as an attachment, and with `showsEmbedded` also its text. */
  function attachMessage(part: Part, place: Place): BodyNode | undefined {
    const isReadable = part.encoding === 'none';
    const block = isReadable ? readHeader(bytes, part.start, part.end, EMBEDDED_HEADERS) : undefined;
    const subject = block && oneLine(decodeWords(fieldOf(block.fields, 'subject') ?? ''), MAX_SUBJECT);
    const name = part.name ?? `${subject || 'message'}.eml`;
    attached.push({ part, name, isRelated: false });
    if (block === undefined) return undefined;
    if (place.depth >= MAX_DEPTH) {
      report('tooDeep');
      return undefined;
    }
    const isShown = showsEmbedded && !place.isEmbedded;
    const inside = { ...ROOT, depth: place.depth + 1, isEmbedded: !isShown };
    const node = message(block, part.end, part.number, inside);
    return isShown ? { kind: 'sequence', nodes: [headingOf(block), ...(node ? [node] : [])] } : undefined;
  }

  const body = message(header, bytes.length, '', ROOT);
  return { body, attached };
}

/** The headers of an email that a reader of its text is shown. */
function headingOf({ fields }: HeaderBlock): BodyNode {
  const lines = ['From', 'Date', 'Subject'].flatMap((name) => {
    const value = oneLine(decodeWords(fieldOf(fields, name.toLowerCase()) ?? ''), MAX_SUBJECT);
    return value === '' ? [] : [`${name}: ${value}`];
  });
  return { kind: 'heading', text: lines.join('\n') };
}

function numbered(prefix: string, index: number): string {
  return prefix === '' ? String(index) : `${prefix}.${index}`;
}

function combined(subtype: string, nodes: BodyNode[]): BodyNode | undefined {
  if (nodes.length <= 1) return nodes[0];
  return { kind: subtype === 'alternative' ? 'alternatives' : 'sequence', nodes };
}

function usualName({ mime }: Part): string | undefined {
  if (TNEF.has(mime)) return 'winmail.dat';
  return mime === 'text/calendar' ? 'invite.ics' : undefined;
}
