import type { CreatedApiKey, LoginResponse, WorkspaceEntry } from '@deckhand/contracts';
import { ApiError, type ApiClient } from './api-client.ts';

interface Owner {
  readonly email: string;
  readonly password: string;
  /** The SETUP_TOKEN of the API. */
  readonly setupToken: string;
}

/** A valid key, and a workspace of its owner. */
export interface Access {
  readonly apiKey: string;
  readonly workspaceId: string;
}

/**
 * Ensures that there is an owner and a key: uses `knownKey` if it is valid; otherwise creates the first owner, or signs
 * in, and creates a key.
 * @throws if the owner has another password.
 */
export async function ensureAccess(api: ApiClient, owner: Owner, knownKey: string | undefined): Promise<Access> {
  const known = knownKey === undefined ? undefined : await firstWorkspace(api, knownKey);
  if (knownKey !== undefined && known !== undefined) return { apiKey: knownKey, workspaceId: known };

  const token = await signIn(api, owner);
  const { key } = await api.call<CreatedApiKey>({ token }, 'POST', '/api/api-keys', {
    name: 'npm start',
    password: owner.password,
    preset: 'read-write',
    saveAsCredential: false,
  });
  const workspaceId = await firstWorkspace(api, key);
  if (workspaceId === undefined) throw new Error('the owner is in no workspace: make one, then start again');
  return { apiKey: key, workspaceId };
}

/** Undefined if the key is not valid, or its owner is in no workspace. */
async function firstWorkspace(api: ApiClient, apiKey: string): Promise<string | undefined> {
  try {
    const list = await api.call<{ data: WorkspaceEntry[] }>({ apiKey }, 'GET', '/api/workspaces');
    return list.data[0]?.workspaceId;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return undefined;
    throw error;
  }
}

async function signIn(api: ApiClient, owner: Owner): Promise<string> {
  const { email, password, setupToken } = owner;
  try {
    const setup = { token: setupToken, email, password, name: 'Owner', workspaceName: 'My workspace' };
    return (await api.call<LoginResponse>(undefined, 'POST', '/api/auth/setup', setup)).token;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  }
  try {
    const signedIn = await api.call<Partial<LoginResponse>>(undefined, 'POST', '/api/auth/login', { email, password });
    if (signedIn.token !== undefined) return signedIn.token;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    throw new Error(
      'the database has an owner already, whose e-mail or password is another: set OWNER_EMAIL and OWNER_PASSWORD',
      { cause: error },
    );
  }
  throw new Error(
    `${email} has a second factor, so npm start cannot create its API key: set one as "apiKey" in .deckhand/secrets.json`,
  );
}
