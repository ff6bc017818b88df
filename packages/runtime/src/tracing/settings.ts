import Type from 'typebox';

/** Settings of traces, with OpenTelemetry's own names. */
export const TracingSettings = {
  /** The URL that traces are sent to, such as http://collector:4318; without it, none are sent. */
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://' })),
  /** Headers of these requests, as name=value, separated by commas. */
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(Type.String({ pattern: '^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$' })),
  /** The share of traces that is sent, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: Type.Number({ minimum: 0, maximum: 1, default: 1 }),
};
