import type { Program } from '../compose.ts';
import { askDaemon } from '../daemon/calls.ts';
import { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { differenceWords } from '../lib/daemon-hello.ts';
import { writeToStderr } from '../lib/stderr.ts';
import { nameOf, type Operation, type OperationContext } from '../operation.ts';
import { findDaemon } from '../shim/find-daemon.ts';
import { ownOrigin } from './origin.ts';
import { helloOf, tellUnusedKeys } from './processes.ts';

/** A command is a door too: the daemon does the work. Where none may be started, it is done here. */
export async function callInDaemon(
  program: Program,
  operation: Operation,
  input: unknown,
  progress: OperationContext['progress'],
  signal: AbortSignal,
): Promise<JsonObject> {
  // A line that sets something wrong is refused before anything is done.
  if (program.setKeys.length > 0) await program.readSettings();
  const found = await findDaemon({
    home: program.home,
    program: process.argv[1] ?? '',
    hello: await helloOf('cli'),
    mayStart: true,
    stop: signal,
  });
  const here = () => program.callByName(nameOf(operation), input, { progress, signal, origin: ownOrigin() });
  if (found.kind === 'alone') return here();
  if (found.kind === 'failed' && operation.cli?.alone) {
    // A daemon would write the rest to its log.
    program.log.setLevel('warn');
    return here();
  }
  if (found.kind === 'stopped') throw new AppError('SERVICE_UNAVAILABLE', 'Interrupted.');
  if (found.kind === 'failed') throw new AppError('SERVICE_UNAVAILABLE', found.message);
  const difference = differenceWords(found.attachment.reply);
  if (difference) writeToStderr(difference);
  await tellUnusedKeys(program);
  return askDaemon(found.attachment.socket, operation, input, progress, signal);
}
