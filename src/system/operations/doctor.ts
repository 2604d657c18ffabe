import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { DoctorPort } from '../doctor-port.ts';

export const doctor = operation({
  cli: {
    local: true,
    path: 'doctor',
    examples: ['switchboard doctor', 'switchboard doctor --json'],
    failed: ({ counts }) => counts.broken > 0,
  },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  // Checking a large store takes long.
  deadlineMs: 3_600_000,
  description: 'Checks everything Switchboard needs and says how to fix problems. Changes nothing.',
  input: z.strictObject({}),
  output: z.object({
    checks: z.array(
      z.object({
        check: z.string(),
        state: z.enum(['ok', 'warning', 'broken']),
        says: z.string(),
        mend: z.string().optional(),
      }),
    ),
    counts: z.object({ ok: z.int(), warning: z.int(), broken: z.int() }),
  }),
  async run(_, { doctor }: { doctor: DoctorPort }) {
    const checks = [...(await doctor.examine())];
    const count = (wanted: string) => checks.filter(({ state }) => state === wanted).length;
    return { checks, counts: { ok: count('ok'), warning: count('warning'), broken: count('broken') } };
  },
  render: ({ checks, counts }) => {
    const widest = Math.max(0, ...checks.map(({ check }) => check.length));
    const lines = checks.flatMap(({ check, state, says, mend }) => [
      `${state.padEnd(8)} ${check.padEnd(widest)}  ${indented(says, widest)}`,
      ...(mend === undefined ? [] : [`${' '.repeat(widest + 9)}  → ${mend}`]),
    ]);
    return [...lines, '', verdict(counts)].join('\n');
  },
});

function indented(text: string, widest: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(widest + 11)}`);
}

function verdict({ warning, broken }: { warning: number; broken: number }): string {
  if (broken === 0 && warning === 0) return 'All is well.';
  return [
    ...(broken === 0 ? [] : [`${broken} broken`]),
    ...(warning === 0 ? [] : [`${warning} ${warning === 1 ? 'warning' : 'warnings'}`]),
  ].join(', ');
}
