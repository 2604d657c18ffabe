// Writes to stderr as fast as it is read, without newlines unless `lines` is given, and answers each line on stdin.
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';

const text = process.argv[2] === 'lines' ? 'E\n' : 'E';
new Worker(
  `const { writeSync } = require('node:fs');
   const block = Buffer.alloc(65536, require('node:worker_threads').workerData);
   for (;;) {
     try {
       writeSync(2, block);
     } catch (error) {
       if (error.code !== 'EAGAIN') throw error;
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
     }
   }`,
  { eval: true, workerData: text },
);
createInterface({ input: process.stdin })
  .on('line', (line) => process.stdout.write(`${line}\n`))
  .on('close', () => process.exit(0));
process.stdout.write(`ready ${process.pid}\n`);
