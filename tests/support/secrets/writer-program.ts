// Sets or rotates secrets and prints each completed step on standard output.
// Arguments: the home, `set` or `rotate`, a name that no other writer has, and the number of steps (default: unlimited).
import { printLine } from '../print-line.ts';
import { secretsIn } from './open-secrets.ts';

const GROUPS = ['shared', 'server/x', 'oauth/x', 'account/work'];
const [home = '', action = '', writer = '', steps = 'Infinity'] = process.argv.slice(2);
const secrets = secretsIn(home);

for (let step = 0; step < Number(steps); step++) {
  const [group = '', name] = [GROUPS[step % GROUPS.length], `${writer}_${step}`];
  if (action === 'rotate') await secrets.rotate();
  else await secrets.set(group, name, `value of ${name}`);
  printLine(`${group} ${name}`);
}
