import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import {
  issuesInBothSchemes,
  issuesOfAccess,
  openWindow,
  startBrowser,
  takePicture,
} from '../../../harness/browser.ts';
import { type Stack, startStack } from '../../../harness/console.ts';
import { OWNER, TEST_SETUP_TOKEN, stopAll, until } from '../../../harness/index.ts';

let stack: Stack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack(), startBrowser()]);
});
afterAll(stopAll);

describe('the way in', () => {
  it('leads through the setup of a fresh instance to its first workspace', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await page.goto('/');
    await page.waitForURL('**/setup');
    await page.getByLabel('Setup token').waitFor();
    await page.goto(`/setup#${TEST_SETUP_TOKEN}`);
    expect(await page.getByLabel('Setup token').count()).toBe(0);
    await page.getByLabel('Your name').fill(OWNER.name);
    await page.getByLabel('E-mail').fill(OWNER.email);
    await page.getByLabel(/^Password/).fill(OWNER.password);
    await page.getByLabel('Name of the first workspace').fill(OWNER.workspaceName);
    expect(await issuesOfAccess(page)).toEqual([]);
    await takePicture(page, 'set-up');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('heading', { name: 'No workflows yet' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('asks for a password, and is passed once for all tabs of a window, and left by all at once', async () => {
    const { page, context, complaints } = await openWindow(browser, stack.url);
    await signIn(page);
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByRole('heading', { name: 'Workflows', exact: true }).waitFor();
    await second.getByRole('button', { name: /Signed in as/ }).click();
    await second.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in**');
    expect(complaints).toEqual([]);
  });

  it('can be used by everybody', async () => {
    for (const screen of ['desktop', 'phone'] as const) {
      const { page } = await openWindow(browser, stack.url, { screen });
      await page.goto('/sign-in');
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await issuesInBothSchemes(page, 'sign-in', screen)).toEqual([]);
    }
  });
});

async function signIn(page: Page): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(OWNER.email);
  await page.getByLabel(/^Password/).fill(OWNER.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/w\//);
}

describe('the files of the console', () => {
  it('are compressed, cached for ever if their name has a hash, and sent with a policy that allows no other script', async () => {
    const headers = { accept: 'text/html', 'accept-encoding': 'br' };
    const page = await fetch(`${stack.url}/w/some/where`, { headers });
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(page.headers.get('content-encoding')).toBe('br');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'");
    const html = await page.text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|style=/);
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
    const asset = await fetch(stack.url + script, { headers: { 'accept-encoding': 'gzip' } });
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-encoding')).toBe('gzip');
  });

  it.each(['/api/nothing', '/webhook/nothing', '/docs/nothing.js', '/assets/nothing.js', '/nothing.txt', '/healthz'])(
    'leave %s alone, even for a browser',
    async (path) => {
      const answer = await fetch(stack.url + path, { headers: { accept: 'text/html,*/*' } });
      expect(answer.headers.get('content-type')).not.toContain('text/html;charset=utf-8');
      expect(answer.headers.get('content-security-policy')).not.toContain('trusted-types');
    },
  );

  it('answer a program that asks for an unknown address with a 404 in JSON', async () => {
    const answer = await fetch(`${stack.url}/nothing`);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
  });

  it('of the first page weigh less than 300 KB of compressed JavaScript', async () => {
    const { page } = await openWindow(browser, stack.url);
    const sizes = new Map<string, number>();
    page.on('response', (response) => {
      if (!response.url().endsWith('.js')) return;
      sizes.set(response.url(), Number(response.headers()['content-length']));
    });
    await signIn(page);
    await page.getByRole('heading', { name: 'Workflows', exact: true }).waitFor();
    await until(() => sizes.size > 0);
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    // oxlint-disable-next-line no-console -- a measure, for whoever reads the log
    console.log(`first load: ${Math.round(bytes / 1_000)} KB of JavaScript in ${sizes.size} files`);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(300_000);
  });
});
