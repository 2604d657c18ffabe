import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import { openConnection } from '../../../src/connectors/matrix/connection.ts';
import type { MatrixSettings } from '../../../src/connectors/matrix/settings.ts';
import { type RecordedRun, type RecordingOptions, runRecorded } from '../connectors/recording-host.ts';
import { type Homeserver, startHomeserver } from './homeserver.ts';
import type { Content } from './model.ts';

/** A separate homeserver for each test, with our user, Alice, and a room for both. */
export interface MatrixFixture {
  server: Homeserver;
  me: string;
  alice: string;
  room: string;
  byToken(): MatrixSettings;
  byPassword(): MatrixSettings;
  run(options?: RecordingOptions, settings?: MatrixSettings): RecordedRun;
  /** Runs a connection, and waits until it reports that it is connected. */
  connected(options?: RecordingOptions, settings?: MatrixSettings): Promise<RecordedRun>;
  /** Alice sends a message; returns its id. */
  say(text: string, options?: { at?: number; room?: string }): string;
  /** Alice sends another event; returns its id. */
  append(type: string, content: Content, more?: { state_key?: string; redacts?: string }): string;
}

export function matrixFixture(): MatrixFixture {
  let runs: RecordedRun[] = [];
  const fixture = {
    byToken: (): MatrixSettings => ({
      homeserver: `${fixture.server.url}/`,
      access_token: fixture.server.tokenOf(fixture.me),
      rooms: [],
    }),
    byPassword: (): MatrixSettings => ({
      homeserver: fixture.server.url,
      user: fixture.me,
      password: 'secret',
      rooms: [],
    }),
    run(options = {}, settings = fixture.byToken()) {
      const one = runRecorded(openConnection, settings, options);
      runs.push(one);
      return one;
    },
    async connected(options, settings) {
      const one = fixture.run(options, settings);
      await one.connected();
      return one;
    },
    say(text, { at, room = fixture.room } = {}) {
      const content = { msgtype: 'm.text', body: text };
      const event = { type: 'm.room.message', sender: fixture.alice, content };
      return fixture.server.model.append(room, { ...event, ...(at === undefined ? {} : { at }) }).event_id;
    },
    append: (type, content, more = {}) =>
      fixture.server.model.append(fixture.room, { type, sender: fixture.alice, content, ...more }).event_id,
  } as MatrixFixture;

  beforeEach(async () => {
    runs = [];
    fixture.server = await startHomeserver();
    const { model } = fixture.server;
    fixture.me = model.addUser('me', 'secret', 'Me Myself');
    fixture.alice = model.addUser('alice', 'hers', 'Alice');
    fixture.room = model.createRoom(fixture.alice, { name: 'Family', members: [fixture.me] });
  });

  afterEach(async () => {
    await Promise.all(runs.map((one) => one.stop()));
    await fixture.server.close();
    assert.deepEqual(fixture.server.violations, [], 'a request violated the specification');
  });
  return fixture;
}

export function textsOf(run: RecordedRun): string[] {
  return run.messages().map(({ text }) => text);
}
