import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { addNote, countNotes, listNotes } from '../../tests/support/cli/operations.ts';
import { catalogOf, toFile, toTerminal } from '../../tests/support/cli/run-cli.ts';
import { version } from '../lib/version.ts';
import { operation } from '../operation.ts';
import { commandsOf } from './commands.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { mcpCommand } from './mcp-command.ts';
import { displayWidth } from './text.ts';

const commands = commandsOf(catalogOf(addNote, listNotes, countNotes));
const [add, list] = commands;

describe('help', () => {
  test('the overview lists every command under its capability', () => {
    const text = overview([mcpCommand, ...commands], toFile);

    assert.equal(
      text,
      `Switchboard ${version()} connects AI agents to your conversations over one MCP
connection.

Usage: switchboard <command> [arguments] [options]

Doors
  mcp  Serves MCP on stdio, or on HTTP with --port.

System
  notes add    Writes a note.
  notes list   The notes, newest first.
  notes count  How many notes there are.

Options
  --json           Print one line of JSON; errors too, on stderr.
  --home DIR       Folder of all state (default: SWITCHBOARD_HOME, or
                   ~/.switchboard).
  --set KEY=VALUE  Override a configuration key for this process; may be
                   repeated.
  -h, --help       Show this help.
  -v, --version    Show the version.

Run \`switchboard help <command>\` for details of a command.`,
    );
  });

  test('a command has its further paths and its further sections', () => {
    const topics = [{ heading: 'Operators', entries: [['from:ann', 'By sender.']] }] as const;
    const cli = { path: 'notes list', aliases: ['list'], topics, suggestions: ['is:unread'] };

    const made = commandsOf(catalogOf({ ...listNotes, cli }));

    assert.deepEqual(
      made.map(({ path }) => path),
      ['notes list', 'list'],
    );
    for (const command of made) {
      const text = commandHelp(command, toFile);
      assert.match(text, new RegExp(`^Usage: switchboard ${command.path} `));
      assert.match(text, /^Operators\n {2}from:ann {2}By sender\.$/m);
    }
  });

  test('a group lists its commands', () => {
    const text = groupHelp('notes', commands, toFile);

    assert.match(text, /^Usage: switchboard notes <command>/);
    assert.match(text, /^ {2}notes count {2}How many notes there are\.$/m);
  });

  test('a command lists its arguments, what it reads, its options with type, default and description, and examples', () => {
    const text = add && commandHelp(add, toFile);

    assert.equal(
      text,
      `Usage: switchboard notes add <title> [options]

Writes a note. The text of it comes from standard input.

Arguments
  title  What it is called. (required)

Standard input
  body  What it says. Also --body.

Options
  --tags TEXT,...    Words to find it by. (may be repeated)
  --colour red|blue
  --[no-]pinned      Keep it on top. (default on)
  --json             Print one line of JSON; errors too, on stderr.
  --home DIR         Folder of all state (default: SWITCHBOARD_HOME, or
                     ~/.switchboard).
  --set KEY=VALUE    Override a configuration key for this process; may be
                     repeated.
  -h, --help         Show this help.

Examples
  echo text | switchboard notes add Groceries

Exit codes
  0 done, 1 failed, 2 wrong usage`,
    );
  });

  test('an option lists its other names', () => {
    const { cli, ...rest } = addNote;
    const [renamed] = commandsOf(
      catalogOf({ ...rest, cli: { ...cli, path: 'notes name', positionals: [], also: { title: ['name'] } } }),
    );

    const text = renamed && commandHelp(renamed, toFile);

    assert.match(text ?? '', /--title TEXT +What it is called\. \(or --name; required\)/);
  });

  test('a number has its range and default', () => {
    const text = list && commandHelp(list, toFile);

    assert.match(text ?? '', /--limit N {8}How many at most\. \(whole number from 1 to 50; default 10\)/);
  });

  test('an argument with a fixed set of values lists them', () => {
    const { follow: _, ...note } = addNote;
    const paint = operation({
      ...note,
      cli: { path: 'notes paint', positionals: ['colour'] },
      input: z.strictObject({ colour: z.enum(['red', 'blue']).describe('Its colour.') }),
      run: async ({ colour }) => ({ id: colour, title: '', body: '', tags: [] }),
    });

    const [command] = commandsOf(catalogOf(paint));

    assert.match(
      (command && commandHelp(command, toFile)) ?? '',
      /colour {2}Its colour\. One of red, blue\. \(required\)/,
    );
  });

  test('no line is wider than the terminal', () => {
    const texts = [overview(commands, toTerminal(50)), commandHelp(mcpCommand, toTerminal(50))];

    for (const line of texts.join('\n').split('\n'))
      assert(displayWidth(line.replaceAll(/\x1b\[\d+m/g, '')) <= 50, line);
  });
});
