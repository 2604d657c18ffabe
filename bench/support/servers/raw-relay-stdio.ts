import { createRawRelay, readLines } from './raw-relay.ts';

const [, , program = '', count = '1'] = process.argv;
const answer = await createRawRelay(program, Number(count));
readLines(process.stdin, (line) => {
  void answer(JSON.parse(line)).then((message) => {
    if (message) process.stdout.write(`${JSON.stringify(message)}\n`);
  });
});
process.stdin.on('end', () => process.exit());
