import { useSyncExternalStore } from 'react';
import { readSession, type Session, watchSession } from './store.ts';

/** Returns the session of this tab, updated live. */
export function useSession(): Session | undefined {
  return useSyncExternalStore(watchSession, readSession);
}
