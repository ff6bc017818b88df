import { useSyncExternalStore } from 'react';
import { readSession, type Session, watchSession } from './store.js';

/** The session of this tab, as it changes. */
export function useSession(): Session | undefined {
  return useSyncExternalStore(watchSession, readSession);
}
