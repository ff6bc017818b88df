import { afterEach, beforeEach, expect, jest } from '@jest/globals';
import type { Role, User } from '@deckhand/contracts';
import { cleanup, configure, render, screen } from '@testing-library/react';
import { createApp } from '../app/app.tsx';
import { dismiss, readNotices } from '../components/notice-board.ts';
import { beginSession, endSession } from '../session/store.ts';
import { example } from './contract.ts';
import { answer, pageOf, resetFakeApi } from './fake-api.ts';

/** The workspace of component tests. */
export const WORKSPACE = { workspaceId: '0198a000-0000-7000-8000-000000000001', name: 'Home' };

/** The person who is signed in. */
export const ADA: User = {
  id: '0198a000-0000-7000-8000-0000000000aa',
  email: 'ada@example.com',
  name: 'Ada',
  isAdmin: true,
};

/** A time for what was made before the test, ISO 8601. */
export const EARLIER = '2026-01-05T08:00:00.000Z';

/** A time after that, before the test, too. */
export const LATER = '2026-01-05T09:30:00.000Z';

/** The second factors of a person who has none. */
export const NO_FACTORS = {
  ...{ hasPassword: true, isRequired: false, authenticator: null, passkeys: [], recoveryCodesLeft: 0 },
};

/** Who is signed in. */
interface Person {
  readonly role: Role;
  readonly user: User;
}

let { role, user }: Person = { role: 'owner', user: ADA };

/** How long a test waits for what it expects, in ms: a limit for what never comes, on a busy machine. */
const PATIENCE_MS = 30_000;

/** The length of an error about the page, in characters. */
const MAX_PAGE_LENGTH = 1_500;

configure({
  asyncUtilTimeout: PATIENCE_MS,
  // The markup of a page is long, and made for each attempt to find something.
  getElementError(message, container) {
    const page = container.cloneNode(true);
    if (page instanceof Element) for (const style of page.querySelectorAll('style')) style.remove();
    const error = new Error(`${message ?? ''}\n\nThe page: ${page.textContent?.slice(0, MAX_PAGE_LENGTH)}`);
    error.name = 'TestingLibraryElementError';
    return error;
  },
});

/**
 * Prepares a file of component tests: to be called once, at its top. After each test, the page and the answers are
 * gone; what was wrong with requests, responses or the page fails it.
 */
export function prepareConsole(): void {
  const complaints: string[] = [];
  beforeEach(() => {
    answer('GET /api/auth/me', () => ({ user, workspaces: [{ ...WORKSPACE, role }] }));
    answer('GET /api/auth/second-factors', () => NO_FACTORS);
    answer('GET /api/auth/methods', () => ({ singleSignOn: null, passwordReset: false }));
    answer('GET /api/workspaces/:id', () => ({ ...example('GET /api/workspaces/:id'), ...WORKSPACE, role }));
    answer('GET /api/approvals', () => pageOf([]));
    answer('GET /api/human-tasks', () => pageOf([]));
    jest.spyOn(console, 'error').mockImplementation((...parts) => {
      complaints.push(parts.map(String).join(' '));
    });
  });
  afterEach(() => {
    cleanup();
    endSession();
    for (const { id } of readNotices()) dismiss(id);
    localStorage.clear();
    sessionStorage.clear();
    expect([...resetFakeApi(), ...complaints.splice(0)]).toEqual([]);
  });
}

/** Opens a page of the workspace, such as `/variables`, as a signed-in person. */
export async function openConsole(path: string, as: Partial<Person> = {}): Promise<void> {
  ({ role, user } = { role: 'owner', user: ADA, ...as });
  // In the place of an earlier page.
  cleanup();
  beginSession({ token: 'token', expiresAt: '2099-01-01T00:00:00.000Z' });
  renderAt(`/w/${WORKSPACE.workspaceId}${path}`);
  await screen.findByRole('navigation', { name: 'Areas' });
}

/** Loads the page anew: only what the browser and the API keep is still there. */
export function reload(): void {
  cleanup();
  renderAt(window.location.href);
}

/** Renders the console at an address, with the session that there is. */
export function renderAt(address: string): void {
  window.history.pushState(null, '', address);
  const App = createApp();
  render(<App />);
}
