import type { Logger } from '../logger.ts';
import type { Tracing } from './tracing.ts';

/** Where traces are sent. */
export interface TracingDestination {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}

/**
 * Opens tracing.
 * @returns undefined without an endpoint: then OpenTelemetry is not loaded at all.
 */
export async function openTracing(
  settings: TracingDestination,
  options: { serviceName: string; logger: Logger },
): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return undefined;
  const { createOtlpTracing } = await import('./otlp.ts');
  return createOtlpTracing({
    ...options,
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: readHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    share: settings.OTEL_TRACES_SAMPLER_ARG,
  });
}

function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at <= 0 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}
