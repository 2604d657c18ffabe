import { z } from 'zod';
import type { ContentType } from '../../domain/chat.ts';
import type { RoomEvent } from './schema.ts';

/** Content without a form of ours, in our text. */
interface OtherContent {
  text: string;
  contentType: ContentType;
  /** The event that it is about. */
  about?: string;
}

const MAX_ANSWERS = 50;
const MAX_TYPE = 100;

/** A text in the forms of different versions: plain, as fields, or as a list of representations. */
const Text = z
  .union([
    z.string(),
    z.array(z.object({ body: z.string() })).transform(([first]) => first?.body),
    z.record(z.string(), z.unknown()).transform((fields) => textIn(fields)),
  ])
  .optional()
  .catch(undefined);

const Poll = z.object({
  question: Text,
  answers: z.array(Text).catch([]),
});
const Relation = z.object({ 'm.relates_to': z.object({ event_id: z.string() }) });
const Call = z.object({ offer: z.object({ sdp: z.string() }) });

/** What an event is that is neither a message nor a change of one; undefined if it is only about another. */
export function otherContent({ type, content }: RoomEvent): OtherContent | undefined {
  if (/^(?:m|org\.matrix\.msc3381)\.poll\.start$/.test(type)) return poll(content);
  if (/^(?:m|org\.matrix\.msc3381)\.poll\.end$/.test(type))
    return { ...system('The poll has ended.'), ...about(content) };
  if (type === 'm.call.invite') return call(content);
  if (/^(?:m\.rtc\.notification|org\.matrix\.msc4075\.rtc\.notification)$/.test(type)) return system('Started a call.');
  if (type === 'm.room.tombstone') return replacement(content);
  const text = textIn(content);
  if (text !== undefined) return { text, contentType: 'unknown' };
  return about(content).about === undefined ? unknownKind(type) : undefined;
}

function poll(content: Record<string, unknown>): OtherContent {
  const { question, answers = [] } =
    Poll.safeParse(content['m.poll'] ?? content['m.poll.start'] ?? content['org.matrix.msc3381.poll.start']).data ?? {};
  const text = question ?? textIn(content) ?? 'without a question';
  const listed = answers.slice(0, MAX_ANSWERS).flatMap((answer) => (answer === undefined ? [] : [`- ${answer}`]));
  return { text: [`Poll: ${text}`, ...listed].join('\n'), contentType: 'text' };
}

function call(content: Record<string, unknown>): OtherContent {
  const { offer } = Call.safeParse(content).data ?? {};
  return system(offer && /^m=video/m.test(offer.sdp) ? 'Started a video call.' : 'Started a call.');
}

/** After an upgrade of the room its users go on in another one, which each of them has to join. */
function replacement({ replacement_room: room }: Record<string, unknown>): OtherContent {
  const isId = typeof room === 'string' && /^![\w.:-]{1,255}$/.test(room);
  return system(`The room was replaced by another one${isId ? `: ${room}` : ''}.`);
}

function about(content: Record<string, unknown>): { about?: string } {
  const relation = Relation.safeParse(content).data?.['m.relates_to'];
  return relation === undefined ? {} : { about: relation.event_id };
}

/** The type is written by a stranger. */
function unknownKind(type: string): OtherContent {
  const name = /^[\w.-]+$/.test(type) ? type.slice(0, MAX_TYPE) : 'unknown';
  return { text: `[an event of the kind ${name}, which has no text]`, contentType: 'unknown' };
}

function system(text: string): OtherContent {
  return { text, contentType: 'system' };
}

function textIn(content: Record<string, unknown>): string | undefined {
  const fields = ['body', 'm.text', 'org.matrix.msc1767.text', 'm.message', 'org.matrix.msc1767.message'];
  for (const field of fields) {
    const value = content[field];
    if (typeof value === 'string' && value !== '') return value;
    const [first] = Array.isArray(value) ? value : [];
    if (typeof first?.body === 'string') return first.body;
  }
  return undefined;
}
