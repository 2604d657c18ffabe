import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type FakeAgent, startAgent, startScreen } from '../support/agentmail/agents.ts';
import { type RunningMailman, startMailman } from '../support/agentmail/mailman.ts';
import { createMailWorld } from '../support/agentmail/program.ts';
import { recordedScreens } from '../support/agentmail/recorded-screens.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Fields into which the mailman once typed its notice, and into one of which it submitted it. */
const ATTACKS = {
  'the API key field of Qwen': ['qwen', 'provider wizard: API key'],
  'the base URL field of Qwen': ['qwen', 'provider wizard: base URL, empty'],
  'the API key field of Cline': ['cline', 'field for an API key, empty'],
  'the provider search of Cline': ['cline', 'search of providers'],
  '/rename of Codex': ['codex', '/rename'],
  'the custom review instructions of Codex': ['codex', '/review: custom instructions, empty'],
  'the history search of Claude Code': ['claude', 'history search (ctrl-r)'],
  'a permission question of Claude Code': ['claude', 'permission to run a command'],
} as const;

/** Main prompts, into which the notice is typed. */
const PROMPTS = [
  ['codex', 'main prompt, empty'],
  ['qwen', 'main prompt, empty, with a warning'],
  ['copilot', 'main prompt with a provider'],
  ['opencode', 'start screen, prompt empty'],
] as const;

describe('the mailman and the screens of real programs', { timeout: 300_000 }, () => {
  const folder = realpathSync(temporaryFolder(after));
  const world = createMailWorld(after, folder);
  const ends: (() => unknown)[] = [];
  let mailman: RunningMailman;

  before(async () => {
    mailman = await startMailman((end) => ends.push(end), world);
  });
  after(() => Promise.all(ends.map((end) => end())));

  describe('a dialog', () => {
    const shown = new Map<string, FakeAgent>();
    let letters: Record<string, unknown>[];

    before(async () => {
      for (const [program, label] of Object.values(ATTACKS))
        shown.set(nameOf(program, label), await show(program, label));
      for (const name of shown.keys()) await world.as(world.server.first, 'send', name, 'hello');
      for (const name of shown.keys()) await mailman.until(new RegExp(`${name} has mail but is not notified: .*\\n`));
      const isStored = () =>
        lettersSent().then((all) => all.filter(({ not_notified: why }) => why).length === shown.size);
      while (!(await isStored())) await new Promise(setImmediate);
      letters = await lettersSent();
    });
    after(() => {
      for (const { pane } of shown.values()) world.server.tmux('kill-pane', '-t', pane);
    });

    for (const [attack, [program, label]] of Object.entries(ATTACKS)) {
      test(`nothing is typed into ${attack}, and the sender learns why`, () => {
        const name = nameOf(program, label);

        const letter = letters.find(({ to }) => to === name);

        assert.deepEqual(shown.get(name)?.events(), ['up']);
        assert.partialDeepStrictEqual(letter, { state: 'stored', not_notified: { reason: 'no-prompt' } });
      });
    }
  });

  test('the notice is typed into a main prompt, within a bracketed paste', async () => {
    for (const [program, label] of PROMPTS) {
      const agent = await show(program, label);

      await world.as(world.server.first, 'send', nameOf(program, label), 'hello');

      assert.equal((await agent.until(2))[1], JSON.stringify('\x1b[200~Check your agentmail\x1b[201~'));
      world.server.tmux('kill-pane', '-t', agent.pane);
    }
  });

  test('a fresh program that runs no hook before its first prompt is notified without a status', async () => {
    const before = world.server.addWindow('former');
    await world.as(before, 'status', 'work');
    world.server.tmux('kill-pane', '-t', before);
    const fresh = await start('codex', 'main prompt, empty', 'fresh');
    const former = await start('codex', 'main prompt, empty', 'former');

    for (const name of ['fresh', 'former']) await world.as(world.server.first, 'send', name, 'hello');

    for (const each of [fresh, former]) {
      assert.equal((await each.until(2))[1], JSON.stringify('\x1b[200~Check your agentmail\x1b[201~'));
      world.server.tmux('kill-pane', '-t', each.pane);
    }
  });

  test('what was typed and not accepted is removed, and the pane is left alone after one failure', async () => {
    const deaf = await startAgent(world.server, folder, 'deaf', { look: 'deaf' });
    const other = await startAgent(world.server, folder, 'other');
    for (const { pane } of [deaf, other]) await world.as(pane, 'status', 'ready');
    const events = ['up', 'pasted Check your agentmail'];

    await world.as(world.server.first, 'send', 'deaf', 'hello');
    await mailman.until(/deaf has mail but is not notified: /);
    await world.as(world.server.first, 'send', 'deaf', 'hello again');
    await world.as(world.server.first, 'send', 'other', 'hello');
    await mailman.until(/notified other/);

    assert.deepEqual(deaf.events(), events);
    assert.doesNotMatch(world.server.tmux('capture-pane', '-p', '-t', deaf.pane), /Check your/);
    const { stdout } = await world.as(world.server.first, 'sent');
    assert.match(
      stdout,
      /deaf: hello again\n {2}not notified: its program did not accept the Enter key; .*\(not-submitted\)\n/,
    );
  });

  test('the reason is no longer shown once the agent is notified', async () => {
    const agent = await startAgent(world.server, folder, 'drafting');
    world.server.tmux('send-keys', '-t', agent.pane, '-l', 'my draft');
    await world.as(agent.pane, 'status', 'ready');
    await world.as(world.server.first, 'send', 'drafting', 'hello');
    await mailman.until(/drafting has mail but is not notified: /);
    let [during] = await lettersSent(1);
    // The reasons of a round are stored at its end.
    while (during?.not_notified === undefined) [during] = await lettersSent(1);

    world.server.tmux('send-keys', '-t', agent.pane, 'Enter');
    await mailman.until(/notified drafting/);

    assert.partialDeepStrictEqual(during, { not_notified: { reason: 'draft', text: 'its prompt contains a draft' } });
    const [afterwards] = await lettersSent(1);
    assert.deepEqual([afterwards?.state, afterwards?.not_notified], ['announced', undefined]);
  });

  async function show(program: string, label: string): Promise<FakeAgent> {
    const agent = await start(program, label, nameOf(program, label));
    await world.as(agent.pane, 'status', 'ready');
    return agent;
  }

  async function start(program: string, label: string, name: string): Promise<FakeAgent> {
    const screen = recordedScreens().find((each) => each.program === program && each.label === label);
    assert.ok(screen, label);
    return startScreen(world.server, folder, name, screen);
  }

  async function lettersSent(limit = 20): Promise<Record<string, unknown>[]> {
    const { stdout } = await world.as(world.server.first, 'sent', '--json', '--limit', String(limit));
    return JSON.parse(stdout).messages;
  }
});

function nameOf(program: string, label: string): string {
  return `${program} ${label}`.replace(/\W+/g, '-');
}
