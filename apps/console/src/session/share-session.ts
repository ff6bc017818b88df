import { beginSession, endSession, readSession, toSession, watchSession } from './store.js';

/** How long another tab may take to hand its session over, in ms. */
const PATIENCE_MS = 120;

/**
 * Lets tabs of one browser share a session without keeping it where it would outlive them: a new tab asks the others,
 * and signing in or out in one holds in all.
 */
export async function takeSessionOfAnotherTab(): Promise<void> {
  const channel = new BroadcastChannel('deckhand.session');
  let isHearing = false;
  let hear = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    hear = resolve;
  });
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === 'who is signed in?') {
      const session = readSession();
      if (session) channel.postMessage(session);
      return;
    }
    isHearing = true;
    if (data === 'signed out') endSession();
    const session = toSession(data);
    if (session) beginSession(session);
    isHearing = false;
    hear();
  };
  watchSession(() => {
    // What another tab said is no news to it.
    if (!isHearing) channel.postMessage(readSession() ?? 'signed out');
  });
  if (readSession()) return;
  channel.postMessage('who is signed in?');
  await Promise.race([answered, new Promise((over) => setTimeout(over, PATIENCE_MS))]);
}
