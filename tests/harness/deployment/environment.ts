import { ApiSettings } from '@deckhand/api';
import { WorkerSettings } from '@deckhand/worker';
import type { TObject } from 'typebox';

const SETTINGS: Readonly<Record<'api' | 'worker', TObject>> = { api: ApiSettings, worker: WorkerSettings };

/** What others than the apps' settings read: the AWS SDK. */
const READ_BY_LIBRARIES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/** Every name that something in the app reads. */
export function namesRead(app: 'api' | 'worker'): readonly string[] {
  return [...Object.keys(SETTINGS[app].properties), ...READ_BY_LIBRARIES];
}

/** Settings that other values of the chart, or the image, decide. */
const BY_OTHER_VALUES = ['PORT', 'METRICS_PORT', 'WORKER_GRACE_MS', 'HOSTNAME', 'LISTEN_ADDRESS', 'NODE_ENV'];

/** Settings that belong into the Secret of the chart. */
const SECRET = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'ENCRYPTION_KEY',
  'ENCRYPTION_KEYS_OLD',
  'SETUP_TOKEN',
  'OIDC_CLIENT_SECRET',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  ...READ_BY_LIBRARIES,
];

/** Returns the settings that the chart's values may contain: of both apps, and of one only. */
export function chartSettings(): Readonly<Record<'both' | 'api' | 'worker', readonly string[]>> {
  const allowed = (app: 'api' | 'worker'): readonly string[] =>
    namesRead(app).filter((name) => ![...BY_OTHER_VALUES, ...SECRET].includes(name));
  const [api, worker] = [allowed('api'), allowed('worker')];
  return {
    both: api.filter((name) => worker.includes(name)),
    api: api.filter((name) => !worker.includes(name)),
    worker: worker.filter((name) => !api.includes(name)),
  };
}

/** The schema of an app's settings. */
export function settingsOf(app: 'api' | 'worker'): TObject {
  return SETTINGS[app];
}
