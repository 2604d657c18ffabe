import { AppError } from '../../domain/errors.ts';
import type { AgentContext } from '../agent.ts';
import { agentNameIn } from '../letter-text.ts';
import type { LetterExchange } from './delivery-state.ts';
import type { LoopGuard } from './post-office.ts';

export interface NextLetter {
  from: string;
  /** Whether it answers a letter that its sender has read. */
  isAnswer: boolean;
  now: number;
  /** Maximum number of answers in a row; 0 for no limit. */
  limit: number;
}

export type LoopVerdict =
  | { kind: 'pass'; exchange: LetterExchange }
  /** `isNew`: this letter is the first above the limit. */
  | { kind: 'stopped'; isNew: boolean; exchange: LetterExchange };

const DEFAULT_LIMIT = 30;
/** Agents in a loop answer immediately; a longer pause means that one of them did other work. */
const LONGEST_GAP_MS = 2 * 60_000;
const QUIET_MS = 10 * 60_000;

/** Two agents that only answer each other would do so forever: above the limit they are stopped. */
export function judgeLoop(before: LetterExchange | undefined, next: NextLetter): LoopVerdict {
  const { from, now, limit } = next;
  const isQuiet = before === undefined || now - before.lastAt > QUIET_MS;
  if (limit > 0 && before?.stoppedAt !== undefined && !isQuiet) {
    return { kind: 'stopped', isNew: false, exchange: { ...before, lastAt: now } };
  }
  const exchange = { count: countWith(before, next), lastFrom: from, lastAt: now };
  if (limit === 0 || exchange.count <= limit) return { kind: 'pass', exchange };
  return { kind: 'stopped', isNew: true, exchange: { ...before, ...exchange, stoppedAt: now } };
}

/** A second letter of the same sender does not end the exchange. */
function countWith(before: LetterExchange | undefined, { from, isAnswer, now }: NextLetter): number {
  if (before === undefined || before.stoppedAt !== undefined || now - before.lastAt > LONGEST_GAP_MS) return 1;
  if (before.lastFrom === from) return before.count;
  return isAnswer ? before.count + 1 : 1;
}

export interface LoopGuardParts {
  env: Readonly<Record<string, string | undefined>>;
  /** Called once when two agents are stopped, to notify the user. */
  onStop(at: AgentContext, words: string): void | Promise<void>;
}

/** Refuses letters of two agents that only answer each other, from the limit on. */
export function createLoopGuard({ env, onStop }: LoopGuardParts): LoopGuard {
  const limit = loopLimit(env);
  return {
    async admit({ at, state, to, answers, now }) {
      const pair = JSON.stringify([at.me.name, to.name].sort());
      const next = { from: at.me.name, isAnswer: answers !== undefined, now, limit };
      const verdict = judgeLoop(state.exchange(pair), next);
      state.keepExchange(pair, verdict.exchange);
      if (verdict.kind === 'pass') return;
      if (verdict.isNew) await onStop(at, stoppedWords(at.me.name, to.name));
      throw new AppError(
        'CONFLICT',
        `this letter was not sent: you and ${agentNameIn(to.name)} only answer each other; the human was told`,
        {
          hint: `It can go on after '${releaseCommand(to.name)}', or after ten minutes without a letter.`,
        },
      );
    },
  };
}

export function stoppedWords(one: string, other: string): string {
  const [first, second] = [one, other].map(agentNameIn);
  return `agentmail: ${first} and ${second} only answer each other and were stopped; '${releaseCommand(one)}' lets them go on`;
}

/** Without a name where a shell could read the name as more than a word. */
function releaseCommand(agent: string): string {
  return /^\w[\w.-]*$/.test(agent) ? `agentmail release ${agent}` : 'agentmail release';
}

/** `AGENTMAIL_LOOP_LIMIT`; the default where it is not a number. */
export function loopLimit(env: Readonly<Record<string, string | undefined>>): number {
  const text = env.AGENTMAIL_LOOP_LIMIT ?? '';
  return /^\d+$/.test(text) ? Number(text) : DEFAULT_LIMIT;
}
