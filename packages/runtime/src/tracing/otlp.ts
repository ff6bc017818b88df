import { AsyncLocalStorage } from 'node:async_hooks';
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind as OtelKind,
  type SpanContext,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.ts';
import type { SpanKind, TraceSpan, Tracing } from './tracing.ts';

/** Maximum number of spans that wait to be sent; further ones are dropped. */
const QUEUE_SPANS = 8_192;
const BATCH_SPANS = 512;
/** Interval of sending, in ms. */
const SEND_INTERVAL_MS = 2_000;
/**
 * Time limit of a request, in ms, including the last one: a collector that hangs must not delay the end of the process.
 */
const SEND_TIMEOUT_MS = 3_000;

const KINDS: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
};

/** Sends spans as OTLP over HTTP, in batches in the background. Spans that cannot be sent are logged and dropped. */
export function createOtlpTracing(options: {
  serviceName: string;
  url: string;
  headers: Record<string, string>;
  /** The share of traces that is sent, from 0 to 1. */
  share: number;
  logger: Logger;
}): Tracing {
  const warn = (message: string): void => options.logger.warn({ tracing: message }, 'failed to send traces');
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  // Decided by the trace's id, so every process decides alike, and a caller cannot request a larger share.
  const sampler = new TraceIdRatioBasedSampler(options.share);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.serviceName }),
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: options.url,
          headers: options.headers,
          timeoutMillis: SEND_TIMEOUT_MS,
        }),
        maxQueueSize: QUEUE_SPANS,
        maxExportBatchSize: BATCH_SPANS,
        scheduledDelayMillis: SEND_INTERVAL_MS,
        exportTimeoutMillis: SEND_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('deckhand');
  const actors = new AsyncLocalStorage<TraceSpan>();

  return {
    begin(name, { kind, parent, attributes = {}, at }) {
      const remote = parent ? parseTraceParent(parent) : null;
      const context = remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT;
      const span = tracer.startSpan(
        name,
        { kind: KINDS[kind], attributes, ...(at === undefined ? {} : { startTime: at }) },
        context,
      );
      return {
        traceParent: toTraceParent(span.spanContext()),
        end(last = {}) {
          if (last.name !== undefined) span.updateName(last.name);
          if (last.attributes) span.setAttributes(last.attributes);
          if (last.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: last.error });
          span.end(last.at);
        },
      };
    },
    within: (span, act) => actors.run(span, act),
    current: () => actors.getStore()?.traceParent,
    async close() {
      await provider.shutdown().catch((err: unknown) => options.logger.warn({ err }, 'lost the last traces'));
    },
  };
}

function toTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
