import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { catalogOf, runCli } from '../../../tests/support/cli/run-cli.ts';
import { type Operation, operation } from '../../operation.ts';
import { commandsOf } from '../commands.ts';
import { placesOf } from './places.ts';
import { SCRIPTS } from './scripts.ts';

const OPERATIONS = [
  made('db backup', ['path'], {
    path: z.string().meta({ format: 'path' }).optional(),
    replace: z.boolean().default(false),
  }),
  made('db check', [], {}),
  made('paint', ['colour'], {
    colour: z.enum(['red', 'blue']),
    width: z.int().optional(),
    style: z.enum(['a', "b'c"]),
  }),
];

function made(path: string, positionals: string[], fields: z.ZodRawShape): Operation {
  return operation({
    cli: { path, positionals },
    kind: 'query',
    effect: 'reads',
    description: "Doesn't do much. Really.",
    input: z.strictObject(fields),
    output: z.object({}),
    run: async () => ({}),
  });
}

const places = placesOf(commandsOf(catalogOf(...OPERATIONS)));

describe('the nodes of the command tree', () => {
  test('are the program, the command groups and the commands', () => {
    assert.deepEqual(
      places.map(({ path, words }) => [path, words.map(({ text }) => text)]),
      [
        ['', ['db', 'paint', 'help']],
        ['db', ['backup', 'check']],
        ['db backup', []],
        ['db check', []],
        ['paint', ['red', 'blue']],
      ],
    );
  });

  test('have the values of each option, except those that would need quoting', () => {
    const options = places.find(({ path }) => path === 'paint')?.options ?? [];

    assert.deepEqual(
      options.slice(0, 2).map(({ text, takes }) => [text, takes]),
      [
        ['--width', 'something'],
        ['--style', ['a']],
      ],
    );
    assert.equal(places.find(({ path }) => path === 'db backup')?.files, true);
  });
});

test('an argument is completed with the words that its command suggests', () => {
  const [paint] = OPERATIONS.slice(-1);
  const cli = { path: 'find', positionals: [], suggestions: ['is:unread', 'has:image'] };
  const [, find] = placesOf(commandsOf(catalogOf({ ...(paint as Operation), cli })));

  assert.deepEqual(
    find?.words.map(({ text }) => text),
    ['is:unread', 'has:image'],
  );
});

describe('the scripts', () => {
  test('of zsh and fish have a line for every node', () => {
    const zsh = SCRIPTS.zsh(places);
    const fish = SCRIPTS.fish(places);

    assert.match(zsh, /^#compdef switchboard\n/);
    assert.match(zsh, /\n {4}\('paint'\) compadd -- red blue --width /);
    assert.match(zsh, /\n {4}\('paint --style'\) compadd -- a; return ;;\n/);
    assert.match(zsh, /\n {4}\('db backup'\) compadd -- --replace .*; _files ;;\n/);
    assert.match(fish, /\ncomplete -c switchboard -n '__switchboard_at "db"' -a 'backup' -d 'Doesn\\'t do much'\n/);
    assert.match(fish, /\ncomplete -c switchboard -n '__switchboard_at "paint"' -l style -x -a 'a'\n/);
  });

  test('are printed by the command, and as JSON on request', async () => {
    const plain = await runCli(['completion', 'bash'], { operations: OPERATIONS });
    const json = await runCli(['completion', 'bash', '--json'], { operations: OPERATIONS });
    const wrong = await runCli(['completion', 'tcsh'], { operations: OPERATIONS });

    assert.match(plain.stdout, /'completion'\) words='bash zsh fish /);
    assert.deepEqual(JSON.parse(json.stdout), { shell: 'bash', script: plain.stdout });
    assert.equal(wrong.code, 2);
  });
});
