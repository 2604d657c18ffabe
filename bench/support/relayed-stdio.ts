import { spawn } from 'node:child_process';

// The cost of one more process that does nothing: passes bytes to the program named on the command line, and back.
const [, , program = ''] = process.argv;
const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.on('data', (chunk) => child.stdin.write(chunk)).on('end', () => child.stdin.end());
child.stdout.on('data', (chunk) => process.stdout.write(chunk));
