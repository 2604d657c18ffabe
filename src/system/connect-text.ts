import type { ChangedFile, FoundAssistant } from './assistants-port.ts';

interface Done {
  assistant?: string | undefined;
  path?: string | undefined;
  changed: boolean;
  backup?: string | undefined;
  notes?: string[] | undefined;
  agentmail?: { files: Changed[]; next?: string | undefined } | undefined;
  token?: string | undefined;
  removed?: { files: Changed[]; tokens: number } | undefined;
  text?: string | undefined;
}

type Changed = Pick<ChangedFile, 'path' | 'changed'> & { backup?: string | undefined };

interface Output extends Done {
  found?: FoundAssistant[] | undefined;
  results?: Done[] | undefined;
  problem?: string | undefined;
}

/** What `connect` did, for a person. */
export function connectText({ found, results, problem, ...done }: Output): string {
  const lines = [
    ...(done.assistant === undefined ? [] : [doneText(done)]),
    ...(results ?? []).map(doneText),
    ...(problem === undefined ? [] : [problem]),
    ...(found ? [foundText(found)] : []),
  ];
  return lines.join('\n') || 'Done.';
}

function doneText(done: Done): string {
  if (done.text !== undefined) return done.text;
  return (done.removed ? removedLines(done, done.removed) : connectedLines(done)).join('\n');
}

function connectedLines({ assistant, path = '', changed, backup, agentmail, notes = [], token }: Done): string[] {
  const written = [{ path, changed, backup }, ...(agentmail?.files ?? [])].filter((file) => file.changed);
  const [first, ...others] = written;
  return [
    first
      ? `Connected ${assistant} in ${pathText(first)}`
      : `${assistant} is connected already: ${path} is as it should be.`,
    ...others.map((file) => `Also written: ${pathText(file)}`),
    ...(token === undefined ? [] : [`Its token is called ${token}.`]),
    ...notes,
    ...(agentmail?.next === undefined ? [] : [agentmail.next]),
  ];
}

function removedLines(
  { assistant, path = '', changed, backup }: Done,
  { files, tokens }: NonNullable<Done['removed']>,
): string[] {
  const isAnything = changed || files.length > 0 || tokens > 0;
  if (!isAnything) return [`${assistant} is not connected: ${path} has no such entry.`];
  return [
    ...(changed ? [`Disconnected ${assistant} in ${pathText({ path, changed, backup })}`] : []),
    ...files.map((file) => `Also removed from: ${pathText(file)}`),
    ...(tokens > 0 ? ['Its token is revoked.'] : []),
  ];
}

function foundText(found: readonly FoundAssistant[]): string {
  if (found.length === 0) return 'No assistant was found. `switchboard connect --help` lists which there are.';
  const width = Math.max(...found.map(({ assistant }) => assistant.length));
  return found
    .map(({ assistant, path, connected }, at) =>
      [`${String(at + 1).padStart(2)}. ${assistant.padEnd(width)}`, connected ? 'connected' : '-        ', path].join(
        '  ',
      ),
    )
    .join('\n');
}

function pathText({ path, backup }: Changed): string {
  return `${path}.${backup === undefined ? '' : ` What it was is in ${backup}.`}`;
}
