import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchList } from './listing.ts';

test('a list that would fill the memory is cut, however many pages the server offers', async () => {
  const noise: string[] = [];
  const description = 'x'.repeat(4 * 1024 * 1024);
  let pages = 0;

  const tools = await fetchList('tools', {
    capabilities: { tools: {} },
    async request() {
      pages += 1;
      return { tools: [{ name: `t${pages}`, description }], nextCursor: `${pages}` };
    },
    onNoise: (text) => void noise.push(text),
  });

  assert.equal(tools.length, 7);
  assert.equal(pages, 8);
  assert.deepEqual(noise, ['The list of tools is too long and was cut.']);
});
