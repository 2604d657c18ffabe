import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { knownSource } from '../lookup.ts';
import type { SourceRepository } from '../ports.ts';
import { type Accounts, SIGNED_OFF, type Sources } from '../sources.ts';

interface AccountParts {
  sources: Sources;
  sourceRepository: Pick<SourceRepository, 'remember'>;
  accounts: Accounts;
}

type Context = OperationContext & AccountParts;

const input = () => z.strictObject({ source: z.string().describe('Id of the source.') });
const output = () =>
  z.object({ source: z.string(), is_connected: z.boolean(), state: z.string(), problem: z.string().optional() });

export const loginSource = operation({
  cli: {
    path: 'chat login',
    positionals: ['source'],
    examples: ['switchboard chat login libera'],
    failed: ({ is_connected: isConnected }) => !isConnected,
  },
  rest: { method: 'POST', path: '/sources/:source/login' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Connects a source now, also after `chat logout` or a rejected login, and reports the result.',
  input: input(),
  output: output(),
  run: ({ source }, context: Context) => sign(source, '', context),
  render: ({ source, is_connected: isConnected, state, problem = yetToCome(state) }) =>
    isConnected ? `${source} is connected.` : `${source} is not connected. ${problem}`,
});

export const logoutSource = operation({
  cli: { path: 'chat logout', positionals: ['source'], examples: ['switchboard chat logout libera'] },
  rest: { method: 'POST', path: '/sources/:source/logout' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Disconnects a source until `chat login`. Its messages stay.',
  input: input(),
  output: output(),
  run: ({ source }, context: Context) => sign(source, 'yes', context),
  render: ({ source }) => `${source} is signed off, and stays so until \`switchboard chat login ${source}\`.`,
});

function yetToCome(state: string): string {
  return state === 'stopped' ? 'It will be as soon as Switchboard runs.' : 'It is still being connected.';
}

async function sign(
  id: string,
  off: string,
  { sources, sourceRepository, accounts }: Context,
): Promise<z.input<ReturnType<typeof output>>> {
  const { state: before, configuredIn, canStream, problem: why, howToConnect } = await knownSource(sources, id);
  if (before === 'ready' || configuredIn === 'built-in') {
    throw new AppError('INVALID_PARAMETER', `Source '${id}' is no account of a network: nobody signs in to it.`, {
      field: 'source',
    });
  }
  if (!canStream) throw new AppError('SOURCE_NOT_CONNECTED', `${why} ${howToConnect}`, { field: 'source' });
  await sourceRepository.remember(id, SIGNED_OFF, off);
  await accounts.signedOnOrOff(id);
  const { isConnected, state, problem } = await knownSource(sources, id);
  return { source: id, is_connected: isConnected, state, ...(problem === undefined ? {} : { problem }) };
}
