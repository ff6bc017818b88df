import { beginSession, endSession, readSession, toSession, watchSession } from './store.ts';

/** How long to wait for the session of another tab, in ms. */
const PATIENCE_MS = 120;

/**
 * Shares a session between the tabs of a browser without storing it beyond them: a new tab asks the others, and signing
 * in or out affects all tabs.
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
    // Another tab already knows what it sent.
    if (!isHearing) channel.postMessage(readSession() ?? 'signed out');
  });
  if (readSession()) return;
  channel.postMessage('who is signed in?');
  await Promise.race([answered, new Promise((over) => setTimeout(over, PATIENCE_MS))]);
}
