import { placesToMeasure } from './support/mail-places.ts';
import { DOOR_MEASURES, measureMailDoors } from './support/measure-mail-doors.ts';
import { mailboxMeasures, measureMailboxes } from './support/measure-mailbox.ts';
import { measureRing, ringMeasures } from './support/measure-ring.ts';
import { createSamples, type Report, summarize, type Target } from './support/report.ts';

export const title = 'letters sent and received, by processes, commands and MCP, against a mailbox that is rewritten';

/** Printed below the table. */
export const legend = [
  'ratio: ours to the plain mailbox, which appends a line to send and writes the whole file anew to receive',
  'on disk: both wait until each letter and each mark is on disk; without the disk: the same in memory',
  'empty Node: a process that does nothing',
];

const FULL = {
  mailbox: { rounds: 8, cycles: 24 },
  ring: { rounds: 2, letters: 500 },
  doors: { processes: 30, calls: 300 },
};
const QUICK = {
  mailbox: { rounds: 1, cycles: 4 },
  ring: { rounds: 1, letters: 5 },
  doors: { processes: 1, calls: 10 },
};

/** A fifth of the time is five times the cycles. */
const TARGETS: readonly Target[] = [
  { measure: 'cycle/disk/4000', of: 'ours', times: 'plain', atMost: 0.2 },
  { measure: 'cycle/memory/4000', of: 'ours', times: 'plain', atMost: 0.2 },
  { measure: 'growth/disk', of: 'ours', atMost: 1.5 },
  { measure: 'growth/memory', of: 'ours', atMost: 1.5 },
  { measure: 'process/send', of: 'ours', times: 'node', atMost: 2 },
];

export async function run({ quick }: { quick: boolean }): Promise<Report> {
  const effort = quick ? QUICK : FULL;
  const samples = createSamples();
  const places = placesToMeasure();
  const [disk] = places;
  await measureMailboxes(places, effort.mailbox, samples);
  await measureRing(places, effort.ring, samples);
  if (disk) await measureMailDoors(disk, effort.doors, samples);
  return summarize(samples, {
    contenders: [
      { id: 'ours', title: 'Switchboard' },
      { id: 'plain', title: 'plain' },
      { id: 'node', title: 'empty Node' },
    ],
    measures: [...mailboxMeasures(places), ...ringMeasures(places, effort.ring.letters), ...DOOR_MEASURES],
    targets: TARGETS,
    ours: 'ours',
    peer: 'plain',
  });
}
