// Opens and writes the delivery state of a mail folder again and again; fails with any warning.
import { isBusy, openStateFile } from '../../../src/agentmail/delivery/state-file.ts';

const [, , mailFolder = ''] = process.argv;
const OPENINGS = 40;

for (let opening = 0; opening < OPENINGS; opening += 1) {
  try {
    const state = openStateFile(mailFolder, (message) => {
      throw new Error(message);
    });
    for (let row = 0; row < 5; row += 1) {
      state.run(
        'insert into unwoken (agent, reason, since) values (?, ?, ?) on conflict do nothing',
        `${process.pid}-${opening}-${row}-${'x'.repeat(500)}`,
        'none',
        row,
      );
    }
    state.close();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}
process.disconnect?.();
