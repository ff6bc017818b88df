import { type DestinationStream, pino, type Logger } from 'pino';

export type { Logger };

/** Members that are removed from every log line. */
const SECRET_PATHS = [
  'req.headers.authorization',
  'req.headers.cookie',
  'req.headers["x-api-key"]',
  'req.headers["x-webhook-secret"]',
  '*.password',
  '*.token',
  '*.secret',
  '*.key',
];

/** Creates a JSON logger. `level` is a pino level or `silent`. It writes to standard output by default. */
export function createLogger(options: { name: string; level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      redact: { paths: SECRET_PATHS, censor: '[redacted]' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination,
  );
}
