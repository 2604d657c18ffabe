import {
  type Attributes,
  type Context,
  createTraceState,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  type Meter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ProtocolRequest, RequestObserver } from '../domain/protocol-request.ts';
import type { Log } from '../lib/log.ts';
import { ATTRIBUTE, DURATION_BUCKETS, METRIC, TOOL_ERROR } from './conventions.ts';
import type { CallEnd, ObservedCall, Observer } from './observed-call.ts';
import { createLoopDelay, memory } from './process-gauges.ts';

export interface OtlpParts {
  endpoint: string;
  service: { name: string; version: string };
  sessionsOpen(): Promise<number>;
  log: Log;
}

/** Timeout of an export including retries, so that an unreachable collector does not delay the exit of the program. */
const EXPORT_TIMEOUT_MS = 2_000;
/** Minimum interval between two warnings about failed exports. */
const WARN_INTERVAL_MS = 600_000;

/**
 * Sends traces and metrics of calls to an OpenTelemetry collector over HTTP. The only module that loads
 * OpenTelemetry.
 */
export function openOtlp({ endpoint, service, sessionsOpen, log }: OtlpParts) {
  logExportFailures(log);
  const base = endpoint.replace(/\/+$/, '');
  const resource = resourceFromAttributes({ 'service.name': service.name, 'service.version': service.version });
  const traces = new TracerProvider({
    resource,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${base}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS }),
      }),
    ],
  });
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics`, timeoutMillis: EXPORT_TIMEOUT_MS }),
      }),
    ],
  });
  const tracer = traces.getTracer(service.name, service.version);
  const meter = meters.getMeter(service.name, service.version);
  const histogram = (name: string, description: string) =>
    meter.createHistogram(name, {
      unit: 's',
      description,
      advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
    });
  const mcpDuration = histogram(METRIC.mcpDuration, 'Duration of MCP requests.');
  const callDuration = histogram(METRIC.callDuration, 'Duration of calls through all doors.');
  observeProcess(meter, sessionsOpen);

  const observer: Observer = (call) => {
    const attributes = spanAttributes(call);
    const span = tracer.startSpan(spanName(call), { kind: SpanKind.SERVER, attributes }, parentOf(call.request));
    const { traceId, spanId } = span.spanContext();
    const end = (outcome: CallEnd) => {
      const failure = failureOf(call, outcome);
      if (failure) {
        span.setAttributes({ ...failure, [ATTRIBUTE.errorCode]: outcome.result });
        // Only the code, because a message may contain user data.
        span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.result });
      }
      span.end();
      callDuration.record(outcome.seconds, {
        [ATTRIBUTE.operation]: call.operation,
        [ATTRIBUTE.door]: call.door,
        ...failure,
      });
      if (call.request) mcpDuration.record(outcome.seconds, { ...metricAttributes(call.request), ...failure });
    };
    return { end, trace: { trace_id: traceId, span_id: spanId } };
  };

  /**
   * For requests that did not become a call. The tool or prompt they name is unverified, so it is put into the span
   * but not into metrics.
   */
  const requestObserver: RequestObserver = (request) => {
    const { tool: _, prompt: __, ...rest } = request;
    const startTime = Date.now();
    const startedAt = performance.now();
    return (failure) => {
      const attributes = requestAttributes(request);
      const span = tracer.startSpan(
        request.method,
        { kind: SpanKind.SERVER, attributes, startTime },
        parentOf(request),
      );
      const error = failure === undefined ? {} : { [ATTRIBUTE.errorType]: failure };
      if (failure !== undefined) span.setAttributes(error).setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end();
      mcpDuration.record((performance.now() - startedAt) / 1_000, { ...metricAttributes(rest), ...error });
    };
  };

  return {
    observer,
    requestObserver,
    async close(): Promise<void> {
      const { promise: timeout, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, EXPORT_TIMEOUT_MS);
      await Promise.race([Promise.allSettled([traces.shutdown(), meters.shutdown()]), timeout]);
      clearTimeout(timer);
    },
  };
}

function spanName({ operation, request }: ObservedCall): string {
  if (!request) return operation;
  const target = request.tool ?? request.prompt;
  return target === undefined ? request.method : `${request.method} ${target}`;
}

function spanAttributes({ operation, door, request }: ObservedCall): Attributes {
  return {
    [ATTRIBUTE.operation]: operation,
    [ATTRIBUTE.door]: door,
    ...(request ? requestAttributes(request) : {}),
  };
}

function requestAttributes(request: ProtocolRequest): Attributes {
  return {
    ...metricAttributes(request),
    [ATTRIBUTE.requestId]: request.id,
    ...(request.resource === undefined ? {} : { [ATTRIBUTE.resource]: request.resource }),
  };
}

/** Only attributes with few values, because each combination is a separate time series. */
function metricAttributes({ method, protocolVersion, tool, prompt }: ProtocolRequest): Attributes {
  return {
    [ATTRIBUTE.method]: method,
    ...(protocolVersion === undefined ? {} : { [ATTRIBUTE.protocolVersion]: protocolVersion }),
    ...(tool === undefined ? {} : { [ATTRIBUTE.tool]: tool }),
    ...(prompt === undefined ? {} : { [ATTRIBUTE.prompt]: prompt }),
  };
}

function failureOf({ request }: ObservedCall, { result }: CallEnd): Attributes | undefined {
  if (result === 'ok') return undefined;
  return { [ATTRIBUTE.errorType]: request?.tool === undefined ? result : TOOL_ERROR };
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** The client's span, if the request names it. */
function parentOf(request: ProtocolRequest | undefined): Context {
  const [, traceId = '', spanId = '', flags = '0'] = TRACEPARENT.exec(request?.traceparent ?? '') ?? [];
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const state = request?.tracestate === undefined ? {} : { traceState: createTraceState(request.tracestate) };
  const parent = { traceId, spanId, traceFlags, isRemote: true, ...state };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

function observeProcess(meter: Meter, sessionsOpen: () => Promise<number>): void {
  const loopDelay = createLoopDelay();
  const gauge = (name: string, unit: string) => meter.createObservableGauge(name, { unit });
  const mean = gauge(METRIC.loopDelayMean, 's');
  const p99 = gauge(METRIC.loopDelayP99, 's');
  const max = gauge(METRIC.loopDelayMax, 's');
  const used = gauge(METRIC.memory, 'By');
  const open = gauge(METRIC.sessions, '{session}');
  open.addCallback(async (result) => result.observe(await sessionsOpen()));
  used.addCallback((result) => {
    for (const [type, bytes] of Object.entries(memory())) result.observe(bytes, { [ATTRIBUTE.memoryType]: type });
  });
  meter.addBatchObservableCallback(
    (result) => {
      const delay = loopDelay();
      result.observe(mean, delay.mean);
      result.observe(p99, delay.p99);
      result.observe(max, delay.max);
    },
    [mean, p99, max],
  );
}

function logExportFailures(log: Log): void {
  let quietUntil = 0;
  const warn = (...details: unknown[]) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + WARN_INTERVAL_MS;
    log.warn({ err: new Error(details.join(' ')) }, 'could not export traces and metrics');
  };
  const ignore = () => {};
  diag.setLogger(
    { error: warn, warn: warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
