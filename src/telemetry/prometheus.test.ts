import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCounter, createHistogram, exposition } from './prometheus.ts';

test('counts are kept apart by their labels', () => {
  const counter = createCounter();

  counter.add({ door: 'mcp', result: 'ok' });
  counter.add({ door: 'mcp', result: 'ok' });
  counter.add({ door: 'rest', result: 'ok' });

  assert.equal(
    exposition([{ name: 'calls_total', help: 'Calls.', type: 'counter', samples: counter.samples() }]),
    [
      '# HELP calls_total Calls.',
      '# TYPE calls_total counter',
      'calls_total{door="mcp",result="ok"} 2',
      'calls_total{door="rest",result="ok"} 1',
      '',
    ].join('\n'),
  );
});

test('a histogram counts in each bucket all that are not greater, and in the last one everything', () => {
  const histogram = createHistogram([0.1, 1]);

  for (const value of [0.05, 0.1, 0.5, 3]) histogram.observe({ door: 'mcp' }, value);

  assert.equal(
    exposition([{ name: 'seconds', help: 'Time.', type: 'histogram', samples: histogram.samples() }]),
    [
      '# HELP seconds Time.',
      '# TYPE seconds histogram',
      'seconds_bucket{door="mcp",le="0.1"} 2',
      'seconds_bucket{door="mcp",le="1"} 3',
      'seconds_bucket{door="mcp",le="+Inf"} 4',
      'seconds_sum{door="mcp"} 3.65',
      'seconds_count{door="mcp"} 4',
      '',
    ].join('\n'),
  );
});

test('nothing in a label or a help text can begin a line or a label of its own', () => {
  const samples = [{ labels: { a: 'x"} 1\nevil 2\\' }, value: 1 }];

  const text = exposition([{ name: 'n', help: 'one\ntwo\\', type: 'gauge', samples }]);

  assert.deepEqual(text.split('\n'), ['# HELP n one\\ntwo\\\\', '# TYPE n gauge', 'n{a="x\\"} 1\\nevil 2\\\\"} 1', '']);
});

test('numbers beyond numbers are written as Prometheus reads them, and a family without samples not at all', () => {
  const family = (value: number) => ({
    name: 'n',
    help: 'h',
    type: 'gauge' as const,
    samples: [{ labels: {}, value }],
  });

  const text = exposition([
    family(Number.POSITIVE_INFINITY),
    family(Number.NEGATIVE_INFINITY),
    family(Number.NaN),
    { name: 'none', help: 'h', type: 'counter', samples: [] },
  ]);

  assert.deepEqual(
    text.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
    ['n +Inf', 'n -Inf', 'n NaN'],
  );
});
