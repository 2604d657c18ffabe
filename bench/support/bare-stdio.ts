import { createReplies } from './bare-replies.ts';

// The lower bound: a loop that knows no protocol and answers each method with a constant.
const reply = createReplies();
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  let answers = '';
  for (const line of lines) {
    const { id, method } = JSON.parse(line) as { id?: number; method: string };
    if (id !== undefined) answers += `${reply(id, method)}\n`;
  }
  if (answers !== '') process.stdout.write(answers);
});
