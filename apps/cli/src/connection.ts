import { createDeckhand, type Deckhand, pagesByOffset, type SendOptions } from '@deckhand/sdk';
import { getMe, listWorkflows, listWorkspaces } from '@deckhand/sdk/operations';
import { EXIT, ExitError, misused } from '@deckhand/terminal';
import type { Environment } from './environment.ts';
import { checkProfileName, type Profile, readProfiles } from './profiles.ts';
import { MAX_PAGE, take } from './take.ts';

/** Options that every command has. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly profile?: string;
  readonly url?: string;
  readonly workspace?: string;
}

/** An instance with a key, and what names stand for there. */
export interface Connection {
  readonly url: string;
  readonly deckhand: Deckhand;
  /** Returns the workspace that is named, or the only one. @throws ExitError if it is not clear which. */
  workspaceId(): Promise<string>;
  /** Returns the id of the workflow with this id, exact name or slug. @throws ExitError for none, or several. */
  workflowId(idOrName: string): Promise<string>;
}

/** Where to send requests, and as whom. */
export interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string | undefined;
  /** Where the key is from. */
  readonly source: string;
}

/** URL of an instance that was started with `npm start`. */
export const LOCAL_URL = 'http://localhost:3000';
/** Retries of a request: a person waits for them. */
const MAX_RETRIES = 2;
/** Number of entries that a message lists. */
const MAX_LISTED = 5;

/** Parses the URL of an instance. @throws ExitError */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw misused('The URL must begin with https:// or http://.');
  if (url.username !== '' || url.password !== '') throw misused('The URL must not contain a user or a password.');
  return url.href.replace(/\/+$/, '');
}

/** Checks an API key, so that no error of a library shows one. @throws ExitError */
export function checkKey(key: string): string {
  if (/^dk_[\x21-\x7e]+$/.test(key)) return key;
  throw new ExitError('This is not an API key: one begins with dk_, and has no spaces.', EXIT.refused);
}

/**
 * Decides where to send requests: options first, then the environment, then the profile. A profile that is named by an
 * option wins over the environment. A key is never sent to another instance than the one that it was given for.
 * @throws ExitError if there is no key.
 */
export async function resolveTarget(options: GlobalOptions, environment: Environment): Promise<Target> {
  const given =
    options.profile === undefined
      ? environment
      : { ...environment, url: undefined, apiKey: undefined, workspace: undefined };
  const { name, profile } = await chooseProfile(options.profile ?? environment.profile, environment);
  const chosen = options.url ?? given.url ?? profile?.url;
  if (chosen === undefined) throw notSignedIn(LOCAL_URL);
  const url = parseUrl(chosen);
  const isOf = (other: string | undefined): boolean => other !== undefined && parseUrl(other) === url;
  if (given.apiKey !== undefined && (given.url === undefined || isOf(given.url))) {
    const workspace = options.workspace ?? given.workspace;
    return { url, apiKey: checkKey(given.apiKey), workspace, source: 'DECKHAND_API_KEY' };
  }
  if (!profile || !isOf(profile.url)) throw notSignedIn(url);
  const workspace = options.workspace ?? given.workspace ?? profile.workspaceId;
  return { url, apiKey: checkKey(profile.apiKey), workspace, source: `profile ${name}` };
}

async function chooseProfile(
  wanted: string | undefined,
  { profilesPath }: Environment,
): Promise<{ readonly name: string; readonly profile: Profile | undefined }> {
  const { current, byName } = await readProfiles(profilesPath);
  const name = wanted === undefined ? current : checkProfileName(wanted);
  const profile = byName.get(name);
  if (wanted === undefined || profile) return { name, profile };
  const known = byName.size > 0 ? `there are ${[...byName.keys()].join(', ')}` : 'there is none';
  throw misused(`There is no profile ${name}: ${known}. "deckhand login --profile ${name}" creates it.`);
}

function notSignedIn(url: string): ExitError {
  return new ExitError(
    `Not signed in: run "deckhand login --url ${url}", or set DECKHAND_URL and DECKHAND_API_KEY.`,
    EXIT.refused,
  );
}

/** Creates a client. */
export function createClient(target: Pick<Target, 'url' | 'apiKey'>, options: SendOptions = {}): Deckhand {
  return createDeckhand({
    baseUrl: target.url,
    apiKey: target.apiKey,
    maxRetries: MAX_RETRIES,
    ...options,
  });
}

/** Creates the connection. It sends no request. */
export function connect({ url, apiKey, workspace }: Target): Connection {
  const deckhand = createClient({ url, apiKey });
  let found: Promise<string> | undefined;
  const workspaceId = (): Promise<string> => (found ??= findWorkspace(deckhand, workspace));
  return {
    url,
    deckhand,
    workspaceId,
    async workflowId(idOrName) {
      return isId(idOrName) ? idOrName : await findWorkflow(deckhand, await workspaceId(), idOrName);
    },
  };
}

/** Returns whether a text is an id, and not a name. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

async function findWorkspace({ client }: Deckhand, named: string | undefined): Promise<string> {
  if (named !== undefined && isId(named)) return named;
  if (named === undefined) {
    const { data } = await getMe({ client, throwOnError: true });
    if ('apiKey' in data && data.apiKey.workspaceId !== null) return data.apiKey.workspaceId;
  }
  const pages = pagesByOffset(async (position) => {
    return (await listWorkspaces({ client, query: { ...position, limit: MAX_PAGE }, throwOnError: true })).data;
  });
  const all = await take(pages);
  if (named !== undefined) return only(named, all, 'workspace', 'deckhand doctor');
  const [first] = all;
  if (first && all.length === 1) return first.id;
  if (!first) throw new ExitError('The key can access no workspace.', EXIT.refused);
  throw misused(`The key can access ${all.length} workspaces: name one with --workspace: ${listed(all)}.`);
}

async function findWorkflow(deckhand: Deckhand, workspaceId: string, name: string): Promise<string> {
  const { client } = deckhand;
  // The API finds a part of a name, in any case.
  const search = name.slice(0, 200);
  const pages = pagesByOffset(async (position) => {
    const query = { workspaceId, search, ...position, limit: MAX_PAGE };
    return (await listWorkflows({ client, query, throwOnError: true })).data;
  });
  const found = await take(pages);
  if (found.some((entry) => entry.name === name)) return only(name, found, 'workflow', 'deckhand workflows list');
  const [withSlug] = (await take(deckhand.workflows.list({ workspaceId, limit: MAX_PAGE }))).filter(
    ({ slug }) => slug === name,
  );
  return withSlug?.id ?? only(name, [], 'workflow', 'deckhand workflows list');
}

/**
 * Returns the id of the only one with exactly this name.
 * @param command lists what there is.
 * @throws ExitError for none, or several: it names their ids.
 */
export function only(
  name: string,
  entries: readonly { readonly id: string; readonly name: string }[],
  kind: string,
  command: string,
): string {
  const named = entries.filter((entry) => entry.name === name);
  const [first] = named;
  if (!first) throw new ExitError(`No ${kind} is named ${name}: see "${command}".`, EXIT.notFound);
  if (named.length === 1) return first.id;
  throw misused(`${named.length} ${kind}s are named ${name}: give the id instead: ${listed(named)}.`);
}

function listed(entries: readonly { readonly id: string; readonly name: string }[]): string {
  const shown = entries.slice(0, MAX_LISTED).map(({ id, name }) => `${id} (${name})`);
  return [...shown, ...(entries.length > MAX_LISTED ? [`${entries.length - MAX_LISTED} more`] : [])].join(', ');
}
