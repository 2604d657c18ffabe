// Launches servers as a daemon does, prints the pids of all their processes, and waits to be killed.
import { createGuard } from '../../../src/servers/process/guard.ts';
import { launch } from '../../../src/servers/process/launch.ts';
import { firstLine, nodePlan, quietOutput } from './process-programs.ts';

const [home = '', ...programs] = process.argv.slice(2);
const guard = createGuard({ home });
const pids: number[] = [];
for (const program of programs) {
  const [name = '', ...args] = program.split(' ');
  const server = launch(nodePlan(home, name, args), { output: quietOutput(), guard });
  if (server.pid !== undefined) pids.push(server.pid);
  pids.push(Number((await firstLine(server.stdout)).split(' ')[1]));
}
process.stdout.write(`${JSON.stringify(pids)}\n`);
setInterval(() => {}, 60_000);
