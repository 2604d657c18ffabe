import { dirname, join } from 'node:path';
import type { Assistant } from '../domain/assistant.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { isRecord } from '../lib/is-record.ts';
import type { FilePart } from './file-parts.ts';
import { hasJsonSection, jsonEntry, jsonMember, removeJsonEntry, setJsonEntry } from './json-entry.ts';
import type { AssistantEnvironment } from './places.ts';

/** The assistants that run a command of ours when something happens to them. */
export type MailAssistant = Extract<Assistant, 'claude-code' | 'codex' | 'gemini'>;

export function canHaveMail(assistant: Assistant): assistant is MailAssistant {
  return ['claude-code', 'codex', 'gemini'].includes(assistant);
}

/** One command at one event. */
interface Hook {
  event: string;
  command: string;
  /** Options of this assistant only. */
  more?: JsonObject;
}

/** A listener waits longer than an idle afternoon, and ends before it would be ended. */
const LISTEN_SECONDS = 28_000;
const LISTEN_LIMIT_SECONDS = 28_800;

/** The shell command that starts `agentmail`: with absolute paths, because hooks have a minimal PATH. */
export function agentmailCommand(node: string, program: string): string {
  const file = join(dirname(program), program.endsWith('.ts') ? 'agentmail-main.ts' : 'agentmail.js');
  return `${quoted(node)} ${quoted(file)}`;
}

export function hooksOf(assistant: MailAssistant, agentmail: string): readonly Hook[] {
  // With --hook they never fail: assistants show the user each hook that does.
  const begin = `${agentmail} status ready --hook && ${agentmail} onboard --hook`;
  const work = `${agentmail} status work --prompt --hook`;
  const rest = `${agentmail} receive --hook --ready`;
  const end = `${agentmail} status offline --hook`;
  if (assistant === 'codex') {
    return [
      { event: 'SessionStart', command: begin },
      { event: 'UserPromptSubmit', command: work },
      { event: 'Stop', command: rest },
    ];
  }
  if (assistant === 'gemini') {
    // A hook must print JSON there, so it contains no introduction to agent mail; the descriptions of its tools do.
    return [
      { event: 'SessionStart', command: `${agentmail} status ready --hook` },
      { event: 'BeforeAgent', command: work },
      // Any other exit code than 0 is a failure there, and what a hook prints is the user's next prompt.
      { event: 'AfterAgent', command: `${rest} --decision` },
      { event: 'SessionEnd', command: end },
    ];
  }
  const listen = `${agentmail} wait --hook --timeout ${LISTEN_SECONDS}`;
  return [
    { event: 'SessionStart', command: begin },
    { event: 'UserPromptSubmit', command: work },
    // It delivers nothing itself: a hook that keeps the session going is shown as an error, what the listener brings is not.
    { event: 'Stop', command: `${agentmail} status ready --hook` },
    { event: 'Stop', command: listen, more: { asyncRewake: true, timeout: LISTEN_LIMIT_SECONDS } },
    { event: 'SessionEnd', command: end },
  ];
}

/** `hooks` as Claude Code, Codex and Gemini CLI write them: for each event groups, and in each group commands. */
export function hookGroups(hooks: readonly Hook[]): Record<string, JsonObject[]> {
  const byEvent = Map.groupBy(hooks, ({ event }) => event);
  return Object.fromEntries(
    [...byEvent].map(([event, of]) => [
      event,
      [{ hooks: of.map(({ command, more }) => ({ type: 'command', command, ...more })) }],
    ]),
  );
}

/** Merges our hooks into those of a file; other hooks are kept, and former hooks for agent mail are replaced. */
function setHooks(text: string, hooks: readonly Hook[]): string {
  return Object.entries(hookGroups(hooks)).reduce(
    (changed, [event, groups]) => setJsonEntry(changed, 'hooks', event, (existing) => withOurs(existing, groups)),
    text,
  );
}

/** Our hooks in a file. */
export function hooksPart(hooks: readonly Hook[]): FilePart {
  return {
    set: (text) => setHooks(text, hooks),
    has: (text) => eventsWithOurs(text).length > 0,
    unset: (text, before) =>
      eventsWithOurs(text).reduce((changed, event) => removeFromEvent(changed, event, before), text),
    copy: (_, into) => setHooks(into, hooks),
  };
}

function eventsWithOurs(text: string): string[] {
  const hooks = jsonMember(text, 'hooks');
  if (!isRecord(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    Array.isArray(groups) && groups.some((group) => withoutOurs(group)[0] !== group) ? [event] : [],
  );
}

function removeFromEvent(text: string, event: string, before: string | undefined): string {
  const groups = jsonEntry(text, 'hooks', event);
  const others = Array.isArray(groups) ? groups.flatMap(withoutOurs) : [];
  if (others.length > 0) return setJsonEntry(text, 'hooks', event, () => others);
  return removeJsonEntry(text, 'hooks', event, { dropsEmptySection: !hasJsonSection(before ?? '', 'hooks') });
}

export function hooksFile(
  assistant: Exclude<MailAssistant, 'claude-code'>,
  { env, userHome }: AssistantEnvironment,
): string {
  return assistant === 'codex'
    ? join(env.CODEX_HOME || join(userHome, '.codex'), 'hooks.json')
    : join(userHome, '.gemini', 'settings.json');
}

function withOurs(existing: Json | undefined, groups: readonly JsonObject[]): Json {
  const others = Array.isArray(existing) ? existing.flatMap(withoutOurs) : [];
  return [...others, ...groups];
}

function withoutOurs(group: Json): Json[] {
  if (!isRecord(group) || !Array.isArray(group.hooks)) return [group];
  const hooks = group.hooks.filter((hook) => !isOurs(hook));
  if (hooks.length === group.hooks.length) return [group];
  return hooks.length === 0 ? [] : [{ ...group, hooks }];
}

function isOurs(hook: Json): boolean {
  const command = isRecord(hook) ? hook.command : undefined;
  return (
    typeof command === 'string' &&
    /(?:^|[\s/'"])agentmail(?:\.js|-main\.ts)?['"]?\s+(?:status|receive|wait|onboard)\b/.test(command)
  );
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_./@%+:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
