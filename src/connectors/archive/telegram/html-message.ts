import type { LocalTime } from '../../../lib/local-time.ts';
import { htmlMediaOf } from './html-media.ts';
import { allWith, childrenWith, elementIn, findWith, type HtmlElement, textIn } from './html-nodes.ts';
import type { Media } from './media.ts';

/** A message as a page shows it. */
export interface HtmlMessage {
  id: string;
  isService: boolean;
  time?: HtmlTime;
  /** Missing if it is that of the message before. */
  from?: string;
  isForwarded: boolean;
  /** Missing if it is that of the message before. */
  forwardedFrom?: string;
  replyTo?: string;
  text: string;
  media?: Media & { isCall?: boolean };
  reactions: readonly { sign: string; names: readonly string[] }[];
}

export interface HtmlTime {
  local: LocalTime;
  /** Offset to UTC in minutes; old exports have none. */
  offset?: number;
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** Undefined if the block is not a message. */
export function htmlMessageOf(html: string): HtmlMessage | undefined {
  const element = elementIn(html);
  const [, id] = /^message(-?\d{1,15})$/.exec(element?.attributes.id ?? '') ?? [];
  if (!element || id === undefined) return undefined;
  const [body] = childrenWith(element, 'body');
  if (!body) return undefined;
  const common = { id, isForwarded: false, reactions: [] };
  if (element.classes.has('service')) return { ...common, isService: true, text: textIn(body).trim() };
  const [forwarded] = childrenWith(body, 'forwarded', 'body');
  const content = forwarded ?? body;
  const time = timeOf(childrenWith(body, 'date')[0]);
  const from = nameIn(childrenWith(body, 'from_name')[0]);
  const forwardedFrom = forwarded && nameIn(childrenWith(forwarded, 'from_name')[0]);
  const replyTo = answeredId(childrenWith(content, 'reply_to')[0]);
  const media = htmlMediaOf(content);
  const [text] = childrenWith(content, 'text');
  return {
    ...common,
    isService: false,
    ...(time ? { time } : {}),
    ...(from === undefined ? {} : { from }),
    isForwarded: forwarded !== undefined,
    ...(forwardedFrom === undefined ? {} : { forwardedFrom }),
    ...(replyTo === undefined ? {} : { replyTo }),
    text: text ? textIn(text, linkText).trim() : '',
    ...(media ? { media } : {}),
    reactions: reactionsIn(content),
  };
}

/** The name of the chat, from what is before the first message. */
export function chatNameIn(html: string): string | undefined {
  const page = elementIn(html.slice(Math.max(0, html.indexOf('<body'))));
  const header = page && findWith(page, 'page_header');
  const name = header && findWith(header, 'bold');
  return (name && textIn(name).trim()) || undefined;
}

/** `13 June 2024`: a heading between messages. */
export function isDateHeading(text: string): boolean {
  const [, month] = /^\d{1,2} (\p{L}+) \d{4}$/u.exec(text) ?? [];
  return month !== undefined && MONTHS.includes(month.toLowerCase());
}

/** As in `text.ts`: the URL of a link whose label is different is added. */
function linkText(element: HtmlElement): string | undefined {
  if (element.name !== 'a') return undefined;
  const text = textIn(element);
  const href = hrefOf(element);
  if (!/^(?:https?|tg):/i.test(href) || href === text || text.startsWith('@')) return text;
  return `${text} (${href})`;
}

function hrefOf({ attributes }: HtmlElement): string {
  return textIn({ name: '', classes: new Set(), attributes: {}, children: [attributes.href ?? ''] });
}

/** The name may be followed by the bot through which it was sent, and by the date of a forwarded message. */
function nameIn(element: HtmlElement | undefined): string | undefined {
  if (!element) return undefined;
  const name = textIn(element, (child) => (child.classes.has('date') ? '' : undefined)).trim();
  return name.replace(/ via @\w{1,64}$/, '').trim() || undefined;
}

function answeredId(element: HtmlElement | undefined): string | undefined {
  const link = element?.children.find((child) => typeof child !== 'string' && child.name === 'a');
  if (!link || typeof link === 'string') return undefined;
  return /#go_to_message(-?\d{1,15})$/.exec(link.attributes.href ?? '')?.[1];
}

function reactionsIn(content: HtmlElement): HtmlMessage['reactions'] {
  return allWith(content, 'reaction').flatMap((reaction) => {
    const emoji = findWith(reaction, 'emoji');
    const sign = emoji ? textIn(emoji).trim() : '';
    const names = allWith(reaction, 'userpic').flatMap(
      ({ attributes }) => attributes.title?.replace(/, \d\d\.\d\d\.\d{4}.*$/s, '').trim() || [],
    );
    return sign === '' || names.length === 0 ? [] : [{ sign, names }];
  });
}

/** `13.06.2024 15:04:05 UTC+03:00`, in old exports without the offset. */
function timeOf(element: HtmlElement | undefined): HtmlTime | undefined {
  const title = (element?.attributes.title ?? '').trim();
  const found =
    /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})[ ,]+(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?: UTC(?<sign>[+-])(?<hours>\d\d):?(?<minutes>\d\d))?$/.exec(
      title,
    ) ??
    /^(?<day>\d{1,2}) (?<name>\p{L}+) (?<year>\d{4})[ ,]+(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)$/u.exec(title);
  const part = found?.groups;
  if (!part) return undefined;
  const month = part.name === undefined ? Number(part.month) : MONTHS.indexOf(part.name.toLowerCase()) + 1;
  const local = {
    year: Number(part.year),
    month,
    day: Number(part.day),
    hour: Number(part.hour),
    minute: Number(part.minute),
    second: Number(part.second),
  };
  if (part.sign === undefined) return { local };
  const offset = Number(part.hours) * 60 + Number(part.minutes);
  return { local, offset: part.sign === '-' ? -offset : offset };
}
