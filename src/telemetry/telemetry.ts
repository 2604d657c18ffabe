import type { Log } from '../lib/log.ts';
import { createMetrics } from './metrics.ts';
import { createObservation, type Observer } from './observed-call.ts';

export interface TelemetryParts {
  version: string;
  startedAt: number;
  log: Log;
}

export interface TelemetrySettings {
  /** Whether calls are counted for `/metrics`. */
  metrics: boolean;
  /** Where traces and metrics are sent. */
  otlp_endpoint?: string | undefined;
  service: string;
  sessionsOpen(): Promise<number>;
}

/** All the program knows of telemetry: calls are observed, once it is started and as far as it is asked for. */
export function createTelemetry({ version, startedAt, log }: TelemetryParts) {
  const observers: Observer[] = [];
  let scrape: (() => Promise<string>) | undefined;
  let closeExport: (() => Promise<void>) | undefined;

  return {
    observe: createObservation(observers),
    async start({ metrics, otlp_endpoint: endpoint, service: name, sessionsOpen }: TelemetrySettings): Promise<void> {
      if (metrics) {
        const counted = createMetrics({ version, startedAt });
        observers.push(counted.observer);
        scrape = async () => counted.text(await sessionsOpen());
      }
      if (endpoint !== undefined) {
        const { openOtlp } = await import('./otlp.ts');
        const otlp = openOtlp({ endpoint, service: { name, version }, sessionsOpen, log });
        observers.push(otlp.observer);
        closeExport = otlp.close;
      }
    },
    /** For Prometheus; undefined where it is not asked for. */
    metrics: () => scrape?.(),
    /** Sends what has not been sent. */
    async close(): Promise<void> {
      const last = closeExport;
      closeExport = undefined;
      await last?.();
    },
  };
}
