import Type from 'typebox';

/** Settings of metrics, for every process that serves some. */
export const MetricsSettings = {
  /** The address that the process's ports listen on, such as 127.0.0.1. Default: every address of the machine. */
  LISTEN_ADDRESS: Type.Optional(Type.String({ minLength: 1 })),
  /** A separate port for /metrics, /healthz and /readyz; 0 chooses a free one. */
  METRICS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  /** The bearer token that scrapers send, wherever metrics are served. */
  METRICS_TOKEN: Type.Optional(Type.String({ minLength: 16 })),
};
