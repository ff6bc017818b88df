import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { issuesOfAccess, openWindow, startBrowser } from '../../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../../harness/console.ts';
import { OWNER, stopAll } from '../../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(OWNER.email);
  await page.getByLabel(/^Password/).fill(OWNER.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in**');
}

it('a passkey is added, asked for after the password, signs in alone, and recovery codes replace it', async () => {
  // Passkeys belong to a host name, which an address is not.
  const origin = stack.url.replace('127.0.0.1', 'localhost');
  const { page, context, complaints } = await openWindow(browser, origin);
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await page.goto(`${origin}/sign-in`);
  await enterPassword(page);
  await page.waitForURL(/\/w\//);
  await page.goto(`${origin}/w/${stack.workspaceId}/account`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
  await page.getByRole('button', { name: 'Continue' }).click();
  const codes = (await page.getByLabel('Recovery codes', { exact: true }).last().innerText()).split('\n');
  expect(codes).toHaveLength(10);
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('Passkey Laptop').waitFor();
  expect(await issuesOfAccess(page)).toEqual([]);

  await signOut(page);
  await enterPassword(page);
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  expect(await issuesOfAccess(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(/\/w\//);

  await signOut(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL(/\/w\//);

  await signOut(page);
  await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  await enterPassword(page);
  await page.getByLabel('Recovery code').fill(codes[0] ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/w\//);
  expect(complaints).toEqual([]);
});
