import type { Deckhand } from '@deckhand/sdk';
import { getFleet, getLiveness, getMe, getReadiness, listWorkspaces } from '@deckhand/sdk/operations';
import { EXIT } from '@deckhand/terminal';
import { Command } from 'commander';
import { createClient, type Target } from '../connection.ts';
import type { Context } from '../context.ts';
import { describeError } from '../describe-error.ts';
import { isOpenToOthers } from '../profiles.ts';

/** The result of a check. `advice` says what to do about a problem. */
interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}

const ICONS = { ok: ['✓', 'green'], warning: ['!', 'yellow'], failed: ['✗', 'red'] } as const;
/** Time limit of each request, in ms. */
const TIMEOUT_MS = 10_000;
const MAX_CLOCK_DIFFERENCE_MS = 60_000;
const EXPIRES_SOON_MS = 7 * 86_400_000;

/** Creates `doctor`, which says why a command does not work. */
export function doctorCommand(context: Context): Command {
  return new Command('doctor')
    .summary('check the profile, the connection, the key and the instance')
    .description('Exits with 0 if every check succeeds, otherwise with 1. It changes nothing.')
    .action(async () => {
      const checks = await examine(context);
      context.output.result(checks, () =>
        checks.map(({ name, state, detail }) => {
          const [text, style] = ICONS[state];
          return [{ text: `${text} `, style }, `${name}: ${detail}`];
        }),
      );
      if (checks.some(({ state }) => state === 'failed')) process.exitCode = EXIT.failed;
    });
}

async function examine({ environment: { profilesPath }, ...context }: Context): Promise<readonly Check[]> {
  const checks: Check[] = [];
  const check = async (name: string, act: () => Promise<Omit<Check, 'name'>>): Promise<boolean> => {
    try {
      const result = await act();
      checks.push({ name, ...result });
      return result.state !== 'failed';
    } catch (error) {
      checks.push({ name, state: 'failed', detail: describeError(error).message });
      return false;
    }
  };
  let target: Target | undefined;
  await check('profile', async () => {
    target = await context.target();
    if (await isOpenToOthers(profilesPath)) {
      return { state: 'failed', detail: `other users can read ${profilesPath}: run "chmod 600 ${profilesPath}"` };
    }
    return { state: 'ok', detail: `${target.source}, ${target.url}` };
  });
  if (!target) return checks;
  const { url } = target;
  const deckhand = createClient(target, { maxRetries: 0, timeoutMs: TIMEOUT_MS });
  const { client } = deckhand;
  await check('encryption', async () => {
    const { protocol, hostname } = new URL(url);
    const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
    if (protocol === 'https:' || isLocal) return { state: 'ok', detail: isLocal ? 'this machine' : 'https' };
    return { state: 'warning', detail: 'the key is sent without encryption: use https' };
  });
  const isReached = await check('connection', async () => {
    const before = Date.now();
    const { response } = await getLiveness({ client, throwOnError: true });
    const differenceMs = Math.abs(Date.parse(response.headers.get('date') ?? '') - Date.now());
    if (differenceMs > MAX_CLOCK_DIFFERENCE_MS) {
      return { state: 'warning', detail: `the clocks differ by ${Math.round(differenceMs / 1_000)} s` };
    }
    return { state: 'ok', detail: `${Date.now() - before} ms` };
  });
  if (!isReached) return checks;
  await check('instance', async () => {
    await getReadiness({ client, throwOnError: true });
    return { state: 'ok', detail: 'ready' };
  });
  const isSignedIn = await check('key', () => checkApiKey(deckhand));
  if (!isSignedIn) return checks;
  await check('workspaces', async () => {
    const { data } = await listWorkspaces({ client, query: { limit: 500 }, throwOnError: true });
    const names = data.data.map(({ id, name }) => `${name} (${id})`);
    return { state: names.length > 0 ? 'ok' : 'failed', detail: names.join(', ') || 'the key can access none' };
  });
  await check('workers', async () => {
    const { data } = await getFleet({ client, throwOnError: true });
    const { live, consuming } = data.workers;
    if (consuming === 0) return { state: 'warning', detail: 'none takes runs: they stay pending' };
    return { state: 'ok', detail: `${live} live, ${consuming} of them take runs` };
  });
  return checks;
}

async function checkApiKey({ client }: Deckhand): Promise<Omit<Check, 'name'>> {
  const { data } = await getMe({ client, throwOnError: true });
  if (!('apiKey' in data)) return { state: 'failed', detail: 'this is not an API key' };
  const { name, scopes, expiresAt } = data.apiKey;
  const detail = `${name}, ${scopes.length === 0 ? 'without scopes' : scopes.join(' ')}`;
  if (scopes.length === 0) return { state: 'failed', detail };
  if (expiresAt !== null && Date.parse(expiresAt) - Date.now() < EXPIRES_SOON_MS) {
    return { state: 'warning', detail: `${detail}; it expires at ${expiresAt}` };
  }
  return { state: 'ok', detail };
}
