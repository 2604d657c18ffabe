// One of several agents in a ring: sends to the next and receives from the previous one. Arguments: the implementation (`ours`
// or `plain`), the repository, its own number, the number of agents and of letters. It starts at the first line of its input.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createPostOffice } from '../../src/agentmail/delivery/post-office.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { standIn } from './mail-places.ts';
import { plainMail } from './plain-mail.ts';

const [kind, root = '', number = '', agents = '', letters = ''] = process.argv.slice(2);
const names = Array.from({ length: Number(agents) }, (_, index) => `a${index}`);
const me = names[Number(number)] ?? '';
const next = names[(Number(number) + 1) % names.length] ?? '';
const message = 'x'.repeat(120);
const { send, receive } = kind === 'ours' ? ours() : plain();

writeSync(1, 'ready\n');
await once(process.stdin, 'data');
let received = 0;
for (let sent = 0; sent < Number(letters); sent++) {
  await send();
  if (await receive()) received += 1;
}
while (received < Number(letters)) if (await receive()) received += 1;
process.exit(0);

function ours() {
  const post = createPostOffice({ clock: systemClock });
  const at = standIn(root, me, names);
  return {
    send: () => post.send(at, next, message),
    async receive() {
      const taken = await post.take(at);
      await taken?.done();
      return taken;
    },
  };
}

function plain() {
  const mailbox = (name: string) => join(root, '.agentmail', 'mailboxes', `${name}.jsonl`);
  return {
    send: () => plainMail.send(mailbox(next), { id: 'abcdefgh', from: me, to: next, message }),
    receive: () => plainMail.receive(mailbox(me)),
  };
}
