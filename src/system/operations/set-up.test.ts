import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contextWith } from '../../../tests/support/operation-context.ts';
import type { AssistantsPort } from '../assistants-port.ts';
import type { DaemonPort } from '../daemon-port.ts';
import type { DoctorPort } from '../doctor-port.ts';
import type { RestorePort } from '../ports.ts';
import type { ServicePort } from '../service-port.ts';
import { connect } from './connect.ts';
import { doctor } from './doctor.ts';
import { installService } from './install-service.ts';
import { removeService } from './remove-service.ts';
import { restoreStore } from './restore-store.ts';

type Connected = Awaited<ReturnType<AssistantsPort['connect']>>;

describe('connect', () => {
  const found = [
    { assistant: 'codex' as const, title: 'Codex', path: '/u/.codex/config.toml', connected: false },
    { assistant: 'zed' as const, title: 'Zed', path: '/u/.config/zed/settings.json', connected: true },
  ];
  const daemon: DaemonPort = {
    status: async () => ({ running: false }),
    stop: async () => ({ stopped: false }),
    call: async () => ({}),
    logs: async () => ({ path: '', lines: [], position: 0 }),
    followLogs: async () => (async function* () {})(),
  };
  function withAssistants(connected: Connected = { path: '/x', changed: true, notes: [] }) {
    const assistants: AssistantsPort = {
      preview: async () => ({ path: '/u/.claude.json', text: '{ "switchboard": {} }' }),
      connect: async () => connected,
      check: async () => {},
      remove: async () => ({ path: '/u/.claude.json', changed: true, files: [], hadToken: false }),
      find: async () => found,
    };
    return contextWith({ assistants, daemon, served: () => ['chat', 'agentmail'] });
  }
  const ask = (input: object) => connect.input.parse({ assistant: 'claude-code', ...input });

  test('printing shows the entry and changes nothing', async () => {
    const output = await connect.run(ask({ print: true }), withAssistants());

    assert.equal(output.changed, false);
    assert.equal(connect.render?.(connect.output.parse(output)), '{ "switchboard": {} }');
  });

  test('writing reports the file and the backup of the old one', async () => {
    const changed = { path: '/u/.claude.json', changed: true, backup: '/u/.claude.json.bak', notes: [] };

    const output = await connect.run(ask({}), withAssistants(changed));

    assert.match(
      connect.render?.(connect.output.parse(output)) ?? '',
      /in \/u\/\.claude\.json\. What it was is in .*\.bak\./,
    );
  });

  test('an unknown capability is refused before anything is written', async () => {
    const run = connect.run(ask({ only: ['chat', 'chta'] }), withAssistants());

    await assert.rejects(run, {
      code: 'VALIDATION_ERROR',
      field: 'only',
      message: "There is no capability 'chta'. Valid: chat, agentmail.",
    });
  });

  test('an unchanged entry is reported', async () => {
    const output = await connect.run(ask({}), withAssistants({ path: '/u/.claude.json', changed: false, notes: [] }));

    assert.match(connect.render?.(connect.output.parse(output)) ?? '', /connected already/);
  });

  test('without a name it lists what is installed, and asks on a terminal until nothing is left', async () => {
    const context = withAssistants();
    const input = connect.input.parse({});
    const list = connect.output.parse(await connect.run(input, context));
    const question = connect.cli?.question?.(input, list);
    const done = connect.output.parse(await connect.run(connect.input.parse(question?.next('1')), context));
    const wrong = connect.output.parse(await connect.run(connect.input.parse(question?.next('2')), context));
    const ended = connect.output.parse(await connect.run(connect.input.parse(question?.next('')), context));

    assert.match(
      connect.render?.(list) ?? '',
      /1\. codex +- .*\n 2\. zed +connected .*\nConnect one: switchboard connect/,
    );
    assert.match(question?.text ?? '', /Connect which\? Numbers or names, "all", or Enter to end:$/);
    assert.equal(question?.terminalOnly, true);
    assert.deepEqual(
      done.results?.map(({ assistant }) => assistant),
      ['codex'],
    );
    assert.equal(wrong.problem, "'2' is none of them.");
    assert.equal(connect.cli?.question?.(input, ended), undefined);
    assert.equal(connect.cli?.question?.(ask({}), list), undefined);
  });

  test('what confines a token is refused where there is none', async () => {
    await assert.rejects(connect.run(ask({ scopes: ['chat:read'] }), withAssistants()), {
      code: 'VALIDATION_ERROR',
      field: 'scopes',
    });
    await assert.rejects(connect.run(ask({ http: true }), withAssistants()), { code: 'CONFLICT', field: 'http' });
  });
});

describe('doctor', () => {
  function withChecks(...states: ('ok' | 'warning' | 'broken')[]) {
    const port: DoctorPort = {
      examine: async () =>
        states.map((state) => ({
          check: 'store',
          state,
          says: `it is ${state}`,
          ...(state === 'ok' ? {} : { mend: 'mend it' }),
        })),
    };
    return contextWith({ doctor: port });
  }

  test('counts its findings and reports how to fix them; a broken one is a failure', async () => {
    const output = doctor.output.parse(await doctor.run({}, withChecks('ok', 'warning', 'broken')));

    assert.deepEqual(output.counts, { ok: 1, warning: 1, broken: 1 });
    assert.match(
      doctor.render?.(output) ?? '',
      /broken {3}store {2}it is broken\n\s+→ mend it\n\n1 broken, 1 warning$/,
    );
    assert.equal(doctor.cli?.failed?.(output), true);
  });

  test('reports that there is no problem', async () => {
    const output = doctor.output.parse(await doctor.run({}, withChecks('ok')));

    assert.match(doctor.render?.(output) ?? '', /All is well\.$/);
    assert.equal(doctor.cli?.failed?.(output), false);
  });
});

describe('the service', () => {
  function withService(started: boolean) {
    const service: ServicePort = {
      preview: async (port) => ({ path: '/u/unit', text: `serve --port ${port}` }),
      install: async () => ({ path: '/u/unit', changed: true, started }),
      remove: async () => ({ path: '/u/unit' }),
    };
    return contextWith({ service });
  }
  const ask = (input: object) => installService.input.parse(input);

  test('printing shows the definition for the port', async () => {
    const output = await installService.run(ask({ print: true, port: 4000 }), withService(true));

    assert.equal(installService.render?.(installService.output.parse(output)), 'serve --port 4000');
  });

  test('installing reports whether it runs', async () => {
    const outputs = await Promise.all(
      [true, false].map((started) => installService.run(ask({}), withService(started))),
    );

    const [runs, waits] = outputs.map((output) => installService.render?.(installService.output.parse(output)) ?? '');
    assert.match(runs ?? '', /runs as a service/);
    assert.match(waits ?? '', /^Wrote \/u\/unit\./);
  });

  test('removing names what was removed', async () => {
    const output = await removeService.run({}, withService(true));

    assert.match(removeService.render?.(removeService.output.parse(output)) ?? '', /removed \/u\/unit/);
  });
});

test('restoring reports what was restored, and where the old store is', async () => {
  const restore: RestorePort = {
    restore: async (path) => ({ path, bytes: 4096, schema: 2, kept: '/h/backups/old.db' }),
  };

  const output = await restoreStore.run({ path: '/b/copy.db' }, contextWith({ restore }));

  assert.equal(
    restoreStore.render?.(restoreStore.output.parse(output)),
    'Restored /b/copy.db (4 KB). What was there is in /h/backups/old.db.',
  );
});
