import Type from 'typebox';

/** The environment of metrics, for the settings of every process that has some. */
export const MetricsSettings = {
  /**
   * The address that the process's ports listen on, such as 127.0.0.1; every address of the machine when it is not set.
   */
  LISTEN_ADDRESS: Type.Optional(Type.String({ minLength: 1 })),
  /** A port for /metrics, /healthz and /readyz alone; 0 takes a free one. */
  METRICS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  /** What scrapers send as a bearer token, wherever metrics are served. */
  METRICS_TOKEN: Type.Optional(Type.String({ minLength: 16 })),
};
