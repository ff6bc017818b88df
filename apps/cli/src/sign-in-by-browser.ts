import { createDeckhand, DeckhandError } from '@deckhand/sdk';
import { redeemDevice, startDevice } from '@deckhand/sdk/operations';
import { canAsk, EXIT, ExitError, printMessage } from '@deckhand/terminal';
import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilInterrupted } from './following/interrupt.ts';
import { openInBrowser } from './open-in-browser.ts';

/** Longest name of a machine that is sent. */
const MAX_NAME = 100;

/**
 * Asks for a key that a person allows in the console. Only this process has the proof with which the key is fetched.
 * @returns the key. @throws ExitError if nobody allowed it in time, or after Ctrl+C.
 */
export async function signInByBrowser(url: string): Promise<string> {
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const { client } = createDeckhand({ baseUrl: url, apiKey: 'dk_none' });
  // These operations are for callers without a key, and refuse one.
  client.setConfig({ headers: { 'x-api-key': null } });
  const body = { name: hostname().slice(0, MAX_NAME), codeChallenge };
  const { data: started } = await startDevice({ client, body, throwOnError: true });
  const address = `${url}/device#${started.id}`;
  return untilInterrupted('Nothing was done.', async (signal) => {
    // With --json too: nobody could sign in without the address.
    printMessage([`Open ${address} and compare the code: `, { text: started.code, style: 'bold' }]);
    if (canAsk()) await openInBrowser(address);
    for (;;) {
      const key = await fetchKey();
      if (key !== undefined) return key;
      await sleep(started.pollSeconds * 1_000, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  });

  async function fetchKey(): Promise<string | undefined> {
    try {
      const { data } = await redeemDevice({
        client,
        path: { id: started.id },
        body: { codeVerifier },
        throwOnError: true,
      });
      return 'key' in data ? data.key : undefined;
    } catch (error) {
      if (!(error instanceof DeckhandError) || error.status !== 404) throw error;
      throw new ExitError('Nobody allowed this sign-in in time: start it again.', EXIT.refused);
    }
  }
}
