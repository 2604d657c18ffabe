import type { RequestObserver } from '../domain/protocol-request.ts';
import type { Log } from '../lib/log.ts';
import { once } from '../lib/once.ts';
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
  const metricsOnce = once(async () => (await import('./metrics.ts')).createMetrics({ version, startedAt }));
  let scrape: (() => Promise<string>) | undefined;
  let closeExport: (() => Promise<void>) | undefined;
  let requestObserver: RequestObserver | undefined;

  return {
    observe: createObservation(observers),
    /** For whoever takes requests of MCP, most of which become calls and are observed as such; undefined where nobody asks. */
    requestObserver: () => requestObserver,
    /** Once for each time that this process owns the home, and when its settings change. */
    async start({ metrics, otlp_endpoint: endpoint, service: name, sessionsOpen }: TelemetrySettings): Promise<void> {
      observers.length = 0;
      scrape = undefined;
      requestObserver = undefined;
      // It sends what it has, while the next one begins.
      void closeExport?.();
      closeExport = undefined;
      if (metrics) {
        const { observer, text } = await metricsOnce();
        observers.push(observer);
        scrape = async () => text(await sessionsOpen());
      }
      if (endpoint !== undefined) {
        const { openOtlp } = await import('./otlp.ts');
        const otlp = openOtlp({ endpoint, service: { name, version }, sessionsOpen, log });
        observers.push(otlp.observer);
        requestObserver = otlp.requestObserver;
        closeExport = otlp.close;
      }
    },
    /** For Prometheus; undefined where it is not asked for. */
    metrics: () => scrape?.(),
    /** Sends what has not been sent. */
    async close(): Promise<void> {
      const last = closeExport;
      closeExport = undefined;
      requestObserver = undefined;
      await last?.();
    },
  };
}
