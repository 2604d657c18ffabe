import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { startModelServer } from '../support/assistants/models/model-server.ts';
import { createScriptedModel } from '../support/assistants/models/scripted-model.ts';
import { PROGRAMS, type ProgramName } from '../support/assistants/programs.ts';
import { runAssistant } from '../support/assistants/run-assistant.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { removeHome, removeUserHome } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NAMES = Object.keys(PROGRAMS) as ProgramName[];
/** Some of our tools; the names that programs give them contain these. */
const TOOLS = ['list_sources', 'list_chats', 'get_messages'];
const folder = temporaryFolder(after);

describe('a real assistant that `connect` has connected', () => {
  for (const name of NAMES) {
    test(`${name} offers our tools to its model, calls one, and the model sees the answer`, async (context) => {
      const { user, home } = await setting(context, name);

      await converse(context, name, { user, home, options: [] });
    });
  }
});

describe('a real assistant that `connect --http` has connected', () => {
  for (const name of NAMES) {
    test(`${name} does the same over HTTP with a token that may only read chats`, async (context) => {
      const { user, home } = await setting(context, `${name}-http`);
      const program = await startHttp({ home });
      context.after(() => program.stop());

      await converse(context, name, { user, home, options: ['--http', '--only', 'chat', '--scopes', 'chat:read'] });
    });
  }
});

interface Conversation {
  user: string;
  home: string;
  /** Of `connect`. */
  options: readonly string[];
}

async function setting(context: TestContext, name: string) {
  const user = join(folder, name);
  const home = join(user, 'switchboard-home');
  // Some leave a process behind that serves their next start.
  context.after(() => removeUserHome(user));
  context.after(() => removeHome(home));
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'config.yaml'), 'sources:\n  hook: { kind: webhook }\n');
  return { user, home };
}

/** Connects the assistant, gives it a prompt, and disconnects it. */
async function converse(context: TestContext, name: ProgramName, { user, home, options }: Conversation): Promise<void> {
  const word = `marker-${randomUUID()}`;
  await storeMessage(home, word);
  const model = createScriptedModel({
    tool: 'get_messages',
    arguments: { source: 'hook', chat: 'ops' },
    until: word,
  });
  const server = await startModelServer(model);
  context.after(() => server.stop());
  const { prepare, defersTools } = PROGRAMS[name];
  const connect = (...args: string[]) => runProgram(['connect', ...args], { home, env: { HOME: user } });
  prepare?.({ user, model: server.url });
  const connected = await connect(name, ...options);

  const { code, output } = await runAssistant(name, 'Read the chat ops.', { user, model: server.url });
  const removed = await connect(name, '--remove');

  assert.equal(connected.code, 0, connected.stderr);
  const told = [output.slice(-2_000), ...server.others, ...model.offered, ...model.results].join('\n').slice(0, 8_000);
  assert.equal(code, 0, told);
  assert.equal(
    model.results.some((result) => result.includes(word)),
    true,
    told,
  );
  assert.match(output, new RegExp(`I saw ${word}`));
  const listed = [...model.offered, ...(defersTools ? model.results : [])].join(' ');
  for (const tool of defersTools ? ['get_messages'] : TOOLS) assert.match(listed, new RegExp(tool), told);
  assert.match(removed.stdout, /^Disconnected/, removed.stderr);
}

async function storeMessage(home: string, text: string): Promise<void> {
  const line = JSON.stringify({ chat: 'ops', sender: 'ada', text });
  const { code, stderr } = await runProgram(['chat', 'post', '--source', 'hook'], { home, stdin: `${line}\n` });
  assert.equal(code, 0, stderr);
}
