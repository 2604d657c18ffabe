import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { countNotes, listNotes } from '../../tests/support/cli/operations.ts';
import { runCli } from '../../tests/support/cli/run-cli.ts';
import { AppError } from '../domain/errors.ts';
import { type Operation, operation } from '../operation.ts';

const listed: Operation = { ...listNotes, mcp: { name: 'list_notes' } };
const show = operation({
  cli: { path: 'notes show', positionals: ['id'] },
  kind: 'query',
  effect: 'reads',
  description: 'A note of list_notes; list_notes_now and count are no commands.',
  input: z.strictObject({ id: z.string().describe('Id from `list_notes`.') }),
  output: z.object({}),
  run: async () => {
    throw new AppError('NOT_FOUND', 'There is no note called list_notes.', {
      field: 'id',
      hint: 'list_notes shows them.',
    });
  },
});
const operations = [show, listed, { ...countNotes, mcp: { name: 'count' } } as Operation];

describe('tools that have a command', () => {
  test('are called by it in help', async () => {
    const { stdout } = await runCli(['notes', 'show', '--help'], { operations });

    assert.match(stdout, /A note of `switchboard notes list`; list_notes_now and count are no commands\./);
    assert.match(stdout, /id {2}Id from `switchboard notes list`\. \(required\)/);
  });

  test('are called by it in the hint of an error, whose message may hold words of others', async () => {
    const { code, stderr } = await runCli(['notes', 'show', 'x'], { operations });

    assert.equal(code, 1);
    assert.equal(stderr, 'There is no note called list_notes.\n`switchboard notes list` shows them.\n');
  });
});
