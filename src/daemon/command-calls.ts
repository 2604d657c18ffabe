import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Origin } from '../domain/origin.ts';
import { backoffDelay } from '../lib/backoff.ts';
import { configWarning, environmentWarning, ownHello } from '../lib/daemon-hello.ts';
import { writeToStderr } from '../lib/stderr.ts';
import { nameOf, type Operation, type OperationContext } from '../operation.ts';
import type { DaemonAttachment } from '../shim/attach.ts';
import { type FoundDaemon, findDaemon } from '../shim/find-daemon.ts';
import { askDaemon, followDaemon } from './ask-daemon.ts';
import { warnOfConfiguration, warnWhereInvalid } from './config-notice.ts';
import { ownOrigin } from './origin.ts';
import { type SetKeys, warnOfUnusedKeys } from './unused-keys.ts';

const RETRY = { firstMs: 50, longestMs: 2_000 };
/** Consecutive daemons that ended before they sent anything: starting another one does not help. */
const MOST_LOSSES = 5;

/** The program in the process of a command, for what no daemon can do for it. */
export interface LocalProgram extends SetKeys {
  home: string;
  log: { setLevel(level: 'warn'): void };
  callByName(
    name: string,
    input: unknown,
    how: { signal: AbortSignal; progress: OperationContext['progress']; origin?: Origin },
  ): Promise<JsonObject>;
  followByName(
    name: string,
    input: unknown,
    how: { signal: AbortSignal; emit: (output: JsonObject) => Promise<void>; origin: Origin },
  ): Promise<void>;
}

/** A command that is executed in its own process. */
export async function callHere(
  program: LocalProgram,
  operation: Operation,
  input: unknown,
  progress: OperationContext['progress'],
  signal: AbortSignal,
): Promise<JsonObject> {
  const output = await program.callByName(nameOf(operation), input, { progress, signal });
  // Some say it themselves: doctor, and whatever shows the problem.
  const isSaid = output.config_problem !== undefined || operation.cli?.failed?.(output) === true;
  if (!isSaid) await warnOfConfiguration(program);
  return output;
}

/** A command is executed by the daemon. If none may be started, it is executed here. */
export async function callInDaemon(
  program: LocalProgram,
  operation: Operation,
  input: unknown,
  progress: OperationContext['progress'],
  signal: AbortSignal,
): Promise<JsonObject> {
  // A line that sets something wrong is refused before anything is done.
  if (program.setKeys.length > 0) await program.readSettings();
  const found = await find(program, signal);
  const here = () => program.callByName(nameOf(operation), input, { progress, signal, origin: ownOrigin() });
  if (found.kind === 'alone') return here();
  if (found.kind === 'failed' && operation.cli?.alone) {
    // A daemon would write the rest to its log.
    program.log.setLevel('warn');
    const output = await here();
    // Afterwards: the command may have been what was missing, such as a secret.
    await warnWhereInvalid(program);
    return output;
  }
  const { socket } = await attached(program, found);
  return askDaemon(socket, nameOf(operation), input, progress, signal);
}

/** The same for a stream. When the daemon ends, the stream continues with the next one, from where it ended. */
export async function followInDaemon(
  program: LocalProgram,
  operation: Operation,
  input: unknown,
  emit: (output: JsonObject) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (program.setKeys.length > 0) await program.readSettings();
  let asked = input;
  let losses = 0;
  const handOn = async (output: JsonObject) => {
    losses = 0;
    await emit(output);
    asked = operation.follow?.resume(operation.input.parse(asked), output);
  };
  for (let notBefore = 0; ; ) {
    const found = await find(program, signal, notBefore);
    if (found.kind === 'stopped') return;
    if (found.kind === 'alone') {
      return program.followByName(nameOf(operation), asked, { emit: handOn, signal, origin: ownOrigin() });
    }
    const { socket } = await attached(program, found, { isAgain: asked !== input });
    const end = await followDaemon(socket, operation, asked, handOn, signal);
    if (signal.aborted || (end !== 'lost' && end.handoverMs === undefined)) return;
    if (operation.follow?.isOnce) throw new AppError('SERVICE_UNAVAILABLE', 'The Switchboard daemon ended meanwhile.');
    if (end !== 'lost') notBefore = Date.now() + (end.handoverMs ?? 0);
    else if (++losses > MOST_LOSSES) {
      throw new AppError('SERVICE_UNAVAILABLE', 'The Switchboard daemon ends again and again.');
    } else await sleep(backoffDelay(losses, RETRY), undefined, { signal }).catch(() => {});
  }
}

async function find({ home }: LocalProgram, stop: AbortSignal, notBefore = 0): Promise<FoundDaemon> {
  const hello = ownHello('cli');
  return findDaemon({ home, program: process.argv[1] ?? '', hello, mayStart: true, notBefore, stop });
}

/** A notice about the daemon is shown once. */
async function attached(
  program: LocalProgram,
  found: FoundDaemon,
  { isAgain = false } = {},
): Promise<DaemonAttachment> {
  if (found.kind === 'failed') throw new AppError('SERVICE_UNAVAILABLE', found.message);
  if (found.kind !== 'attached') throw new AppError('SERVICE_UNAVAILABLE', 'Interrupted.');
  if (isAgain) return found.attachment;
  const { reply } = found.attachment;
  for (const warning of [environmentWarning(reply), configWarning(reply)]) if (warning) writeToStderr(warning);
  await warnOfUnusedKeys(program);
  return found.attachment;
}
