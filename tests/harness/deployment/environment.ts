import { ApiSettings } from '@deckhand/api';
import { WorkerSettings } from '@deckhand/worker';
import type { TObject } from 'typebox';

const SETTINGS: Readonly<Record<'api' | 'worker', TObject>> = { api: ApiSettings, worker: WorkerSettings };

/** What others than the apps' settings read: the AWS SDK. */
const READ_BY_LIBRARIES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/** Variables that the system sets. */
const SET_BY_THE_SYSTEM = ['HOSTNAME'];

/** Every name that something in the app reads. */
export function namesRead(app: 'api' | 'worker'): readonly string[] {
  return [...Object.keys(SETTINGS[app].properties), ...READ_BY_LIBRARIES];
}

/** In a container the ports are reached from outside it, so they listen on every address. */
const NOT_IN_CONTAINERS = ['LISTEN_ADDRESS'];

/** Every name that a person who runs containers may want to set. */
export function namesToOffer(app: 'api' | 'worker'): readonly string[] {
  return namesRead(app).filter((name) => ![...SET_BY_THE_SYSTEM, ...NOT_IN_CONTAINERS].includes(name));
}

/** The schema of an app's settings. */
export function settingsOf(app: 'api' | 'worker'): TObject {
  return SETTINGS[app];
}
