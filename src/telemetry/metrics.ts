import { DURATION_BUCKETS } from './conventions.ts';
import type { Observer } from './observed-call.ts';
import { createLoopDelay, memory } from './process-gauges.ts';
import { createCounter, createHistogram, exposition, type Family } from './prometheus.ts';

export interface MetricsParts {
  version: string;
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** Metrics of calls since the start and of the process, for `/metrics`. */
export function createMetrics({ version, startedAt }: MetricsParts) {
  const calls = createCounter();
  const durations = createHistogram(DURATION_BUCKETS);
  const loopDelay = createLoopDelay();

  const observer: Observer = ({ operation, door }) => {
    return {
      end({ result, seconds }) {
        calls.add({ operation, door, result });
        durations.observe({ operation, door }, seconds);
      },
    };
  };

  return {
    observer,
    text(sessionsOpen: number): string {
      const { resident, heap } = memory();
      const { user, system } = process.cpuUsage();
      const delay = loopDelay();
      return exposition([
        gauge('switchboard_info', 'Running version.', 1, { version }),
        {
          name: 'switchboard_calls_total',
          help: 'Calls by operation, door and result (ok or an error code).',
          type: 'counter',
          samples: calls.samples(),
        },
        {
          name: 'switchboard_call_duration_seconds',
          help: 'Duration of calls.',
          type: 'histogram',
          samples: durations.samples(),
        },
        gauge('switchboard_sessions_open', 'Open MCP sessions.', sessionsOpen),
        {
          name: 'nodejs_eventloop_delay_seconds',
          help: 'Delay of the event loop since the last scrape.',
          type: 'gauge',
          samples: Object.entries(delay).map(([stat, value]) => ({ labels: { stat }, value })),
        },
        gauge('process_resident_memory_bytes', 'Resident memory.', resident),
        gauge('nodejs_heap_size_used_bytes', 'Used JavaScript heap.', heap),
        {
          name: 'process_cpu_seconds_total',
          help: 'CPU time used.',
          type: 'counter',
          samples: [{ labels: {}, value: (user + system) / 1e6 }],
        },
        gauge('process_start_time_seconds', 'Start time of the process as a Unix timestamp.', startedAt / 1_000),
      ]);
    },
  };
}

function gauge(name: string, help: string, value: number, labels: Record<string, string> = {}): Family {
  return { name, help, type: 'gauge', samples: [{ labels, value }] };
}
