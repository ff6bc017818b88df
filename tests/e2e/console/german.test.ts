import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import servedGerman from '../../../apps/console/src/language/de-served.json' with { type: 'json' };
import german from '../../../apps/console/src/language/de.json' with { type: 'json' };
import { issuesInBothSchemes, openAs, openWindow, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../harness/console.ts';
import { OWNER, stopAll } from '../../harness/index.ts';

/** The areas of a workspace, by their path. */
const AREAS = [
  ...['home', 'insights'],
  ...['workflows', 'schedules', 'runs', 'failures', 'bulk-actions', 'approvals', 'fleet', 'variables', 'credentials'],
  ...['event-endpoints', 'api-keys', 'members', 'settings', 'audit-log', 'administration', 'account'],
];

let stack: OwnedStack;
let browser: Browser;
let workflowId: string;
let executionId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
  workflowId = await stack.createWorkflow('Bestellungen', {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'call', type: 'http', parameters: { url: 'https://example.com' }, disabled: true },
    ],
    edges: [{ source: 'start', target: 'call' }],
  });
  executionId = await stack.start(workflowId);
});
afterAll(stopAll);

const translations = Object.entries({ ...german, ...servedGerman });
const germanTexts = new Set(translations.map(([, text]) => text));
/** The English texts that have another German one. */
const englishTexts = new Set(translations.flatMap(([id]) => (germanTexts.has(id) ? [] : [id])));

/** Returns the English texts on the page that have another German one. */
async function englishTextsOn(page: Page): Promise<string[]> {
  const shown = await page.evaluate<string[]>(`[
    ...document.body.innerText.split('\\n'),
    ...[...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((element) =>
      ['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? '')),
  ].map((text) => text.trim())`);
  // The workspace has a name that is also the name of a page.
  return [...new Set(shown.filter((text) => englishTexts.has(text) && text !== OWNER.workspaceName))];
}

/** Opens a page in a browser that prefers German. */
async function openInGerman(path: string): Promise<Page> {
  const { page } = await openWindow(browser, stack.url, { locale: 'de-DE' });
  await openAs(page, stack, path);
  return page;
}

describe('the console in German', () => {
  it('is in English if its texts cannot be loaded', async () => {
    const { page } = await openWindow(browser, stack.url, { locale: 'de-DE' });
    await page.route(/\/german-[^/]*\.js$/, (route) => route.abort());
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    await page.unrouteAll();
    await page.reload();
    await page.getByRole('button', { name: 'Anmelden' }).waitFor();
    expect(await englishTextsOn(page)).toEqual([]);
  });

  it('follows the browser, on every page, and is left by a choice that lasts', async () => {
    const page = await openInGerman('workflows');
    await page.getByRole('heading', { name: 'Workflows', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
    for (const area of AREAS) {
      await page.goto(`/w/${stack.workspaceId}/${area}`);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      expect([area, await englishTextsOn(page)]).toEqual([area, []]);
    }
    expect(await issuesInBothSchemes(page, 'german', 'desktop')).toEqual([]);
    await page.getByRole('button', { name: /^Angemeldet als/ }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  it('has the editor, the forms of nodes and runs in German', async () => {
    const page = await openInGerman(`workflows/${workflowId}`);
    await page.locator('.react-flow__node', { hasText: 'call' }).click();
    await page.getByRole('region', { name: 'Knoten', exact: true }).getByLabel('Methode').waitFor();
    expect(await englishTextsOn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('.react-flow__pane').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('n');
    await page.getByRole('option', { name: 'HTTP-Anfrage' }).waitFor();
    expect(await englishTextsOn(page)).toEqual([]);
    await page.goto(`/w/${stack.workspaceId}/runs/${executionId}`);
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await englishTextsOn(page)).toEqual([]);
  });
});
