import type { Probe, ProbeContext } from '../capability.ts';
import { type Finding, ok, warning } from '../domain/finding.ts';
import { allowsByName, type ConfiguredPolicy } from '../domain/policy.ts';
import { visible } from '../lib/visible.ts';
import { listChats } from './operations/list-chats.ts';
import { listSources } from './operations/list-sources.ts';
import type { ChatSettings } from './settings.ts';

/** Every section of the configuration with a list of recipients or chats. */
interface NamingSettings extends ChatSettings {
  policy?: ConfiguredPolicy;
  auth?: { tokens?: readonly TokenSettings[] };
}

interface TokenSettings {
  name: string;
  policy?: ConfiguredPolicy | undefined;
  chats?: readonly string[] | undefined;
  send_chats?: readonly string[] | undefined;
}

/** An entry of a list, with its key in the configuration. */
interface ListedEntry {
  key: string;
  entry: string;
  /** The only source it applies to, as it is written before the chat. */
  source?: string;
  chat: string;
}

const CHECK = 'recipients';
/** Entries that are compared with the names of chats. */
const MAX_COMPARED = 100;

/** Lists of recipients and grants: entries that are names, and entries that look like names but are ids. */
export const namesProbe: Probe<NamingSettings> = {
  check: CHECK,
  async examine(context) {
    const { settings } = context;
    if (!settings) return [];
    const entries = entriesIn(settings);
    const byName = entries.filter(({ chat }) => allowsByName(chat));
    const ids = entries.filter((entry) => !byName.includes(entry) && entry.chat !== '*').slice(0, MAX_COMPARED);
    const sources = ids.length === 0 ? [] : await knownSources(context);
    const mistaken = await Promise.all(ids.map((entry) => asName(entry, sources, context)));
    const findings = [...byName.map(allowedByName), ...mistaken.flat()];
    return findings.length > 0 || entries.length === 0 ? findings : [ok(CHECK, 'Every list names chats by their ids.')];
  },
};

function entriesIn({ policy, sources, auth }: NamingSettings): ListedEntry[] {
  const recipients = (key: string, own: ConfiguredPolicy | undefined) =>
    (own?.allowed_recipients ?? []).map((entry) => ({ key: `${key}.allowed_recipients`, entry, chat: entry }));
  const grants = (key: string, list: readonly string[] = []) =>
    list.map((entry) => {
      const colon = entry.indexOf(':');
      return { key, entry, source: entry.slice(0, colon), chat: entry.slice(colon + 1) };
    });
  return [
    ...recipients('policy', policy),
    ...Object.entries(sources).flatMap(([id, source]) =>
      recipients(`sources.${id}.policy`, source.policy).map((entry) => ({ ...entry, source: id })),
    ),
    ...(auth?.tokens ?? []).flatMap((token) => [
      ...recipients(`auth.tokens (${token.name}).policy`, token.policy),
      ...grants(`auth.tokens (${token.name}).chats`, token.chats),
      ...grants(`auth.tokens (${token.name}).send_chats`, token.send_chats),
    ]),
  ];
}

function allowedByName({ key, entry }: ListedEntry): Finding {
  return warning(
    CHECK,
    `${key} names a chat by its name (${visible(entry)}). Anyone can give a chat that name.`,
    'Write its id instead: `switchboard chat chats SOURCE` shows the ids.',
  );
}

/** Those that the configuration does not list too, such as agentmail. */
async function knownSources({ settings, ask }: ProbeContext<NamingSettings>): Promise<string[]> {
  const listed = await ask(listSources, {}).catch(() => undefined);
  return listed?.sources.map(({ id }) => id) ?? Object.keys(settings?.sources ?? {});
}

/** Before names had to be marked, an entry could be one: nothing is allowed by it any more. */
async function asName(
  { key, entry, source, chat }: ListedEntry,
  known: readonly string[],
  { ask }: ProbeContext<NamingSettings>,
): Promise<readonly Finding[]> {
  const sources = source === undefined ? known : [source];
  const within = sources.find((id) => chat.startsWith(`${id}:`));
  const wanted = within === undefined ? chat : chat.slice(within.length + 1);
  for (const id of within === undefined ? sources : [within]) {
    // A source that is not there, or was never connected, has no chats to compare.
    const listed = await ask(listChats, { source: id, name_pattern: wanted }).catch(() => undefined);
    const named = listed?.chats.find((one) => one.id !== wanted && one.name.toLowerCase() === wanted.toLowerCase());
    if (!named) continue;
    return [
      warning(
        CHECK,
        `${key}: ${visible(entry)} means the chat with this id, not the one of this name in source ${id}.`,
        `Write the id of the chat, which is ${visible(named.id)}, or name:${visible(wanted)}.`,
      ),
    ];
  }
  return [];
}
