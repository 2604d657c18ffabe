import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCounter, createHistogram, exposition } from './prometheus.ts';

test('counters are separate for each set of labels', () => {
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

test('a histogram bucket counts all values up to its bound, and the last bucket counts everything', () => {
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

test('no label value or help text can inject a line or a label', () => {
  const samples = [{ labels: { a: 'x"} 1\nevil 2\\' }, value: 1 }];

  const text = exposition([{ name: 'n', help: 'one\ntwo\\', type: 'gauge', samples }]);

  assert.deepEqual(text.split('\n'), ['# HELP n one\\ntwo\\\\', '# TYPE n gauge', 'n{a="x\\"} 1\\nevil 2\\\\"} 1', '']);
});

test('infinite values are written in the Prometheus format, and a family without samples is omitted', () => {
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
