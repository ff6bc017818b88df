import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium, REPOSITORY } from '@deckhand/local';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { onceInProcess, stopLater } from './cleanup.ts';
import type { SignedIn } from './console.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Screen sizes that every page is tested on. */
export const SCREENS = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;

/** A large screen, of which pictures are taken. */
const WIDE = { width: 1920, height: 1080 };

/** WCAG 2.2, A and AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Those of them that depend on colours. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Complains of clicks on nodes outside of the canvas: they scroll it, and miss the node if it scrolls back at once. */
const COMPLAIN_OF_SCROLLS = `addEventListener('scroll', ({ target }) => {
  if (!target.classList?.contains('react-flow') || (target.scrollLeft === 0 && target.scrollTop === 0)) return;
  console.error('the canvas was scrolled: fit the graph into it before nodes are clicked');
}, true)`;

/** How long the console may take for anything, in ms. */
const PATIENCE_MS = 60_000;

/** Returns the browser that test files of this process share. @throws when there is none: `npm test` installs it. */
export const startBrowser = onceInProcess(async (): Promise<Browser> => {
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium: npm test installs it');
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  stopLater({ stop: () => browser.close() });
  return browser;
});

/** A browser window. Errors of the page, and violations of its policy, are recorded in `complaints`. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
}

/** Opens a window of its own: it shares nothing with others of this browser. */
export async function openWindow(
  browser: Browser,
  baseURL: string,
  { screen = 'desktop', locale = 'en-GB' }: { readonly screen?: keyof typeof SCREENS; readonly locale?: string } = {},
): Promise<Visit> {
  const context = await browser.newContext({
    baseURL,
    viewport: SCREENS[screen],
    colorScheme: 'light',
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale,
  });
  stopLater({ stop: () => context.close() });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A refused request is the page's to explain, and its tests' to expect.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  await page.addInitScript(COMPLAIN_OF_SCROLLS);
  return { context, page, complaints };
}

/**
 * Opens a page of the workspace, such as `runs`, as somebody who is signed in. The page finds the session as if it had
 * been loaded before: the sign-in page has tests of its own.
 */
export async function openAs(
  page: Page,
  { token, expiresAt, workspaceId }: SignedIn,
  path = 'workflows',
): Promise<void> {
  const session = JSON.stringify({ token, expiresAt });
  // Once for the tab: whoever signs out is signed out.
  await page.addInitScript(`if (location.protocol === 'http:' && sessionStorage.getItem('deckhand.test') === null) {
    sessionStorage.setItem('deckhand.test', 'signed in');
    sessionStorage.setItem('deckhand.session', ${JSON.stringify(session)});
  }`);
  await page.goto(`/w/${workspaceId}/${path}`);
}

/** Shows the whole graph of the editor, so that each node can be clicked. */
export async function fitView(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fit View' }).click();
}

/** Drags by a distance in pixels, from near the upper left corner: nodes may cover the middle of a note. */
export async function dragBy(page: Page, target: Locator, x: number, y: number): Promise<void> {
  const box = (await target.boundingBox())!;
  const [fromX, fromY] = [box.x + Math.min(8, box.width / 2), box.y + Math.min(6, box.height / 2)];
  await page.mouse.move(fromX, fromY);
  await page.mouse.down();
  await page.mouse.move(fromX + x, fromY + y, { steps: 5 });
  await page.mouse.up();
}

/** Adds a node in the editor by typing what it is, with one click. */
export async function addNode(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Add node', exact: true }).click();
  await page.getByRole('combobox', { name: 'Search nodes' }).fill(title);
  await page.keyboard.press('Enter');
}

/** Returns the accessibility violations of the page (WCAG 2.2 A and AA, as found by axe), a line each. */
export async function issuesOfAccess(page: Page, rules: readonly string[] = RULES): Promise<string[]> {
  // Not as a script of the page: its policy allows none.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(`axe.run({ runOnly: ${JSON.stringify(rules)} })`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
}

/**
 * Returns the accessibility violations of the page in light and dark colours, and elements wider than the screen. Saves
 * a screenshot of each, named after the page.
 */
export async function issuesInBothSchemes(page: Page, name: string, screen: keyof typeof SCREENS): Promise<string[]> {
  const issues: string[] = [];
  for (const [colorScheme, rules] of [
    ['light', RULES],
    ['dark', COLOR_RULES],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await takePicture(page, `${name}-${screen}-${colorScheme}`);
    if (screen === 'desktop') await takeWidePicture(page, `${name}-wide-${colorScheme}`);
    const found = await issuesOfAccess(page, rules);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > SCREENS[screen].width) found.push(`is ${width} pixels wide`);
    issues.push(...found.map((issue) => `${name} in ${colorScheme}: ${issue}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return issues;
}

async function takeWidePicture(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return;
  await page.setViewportSize(WIDE);
  await takePicture(page, name);
  await page.setViewportSize(SCREENS.desktop);
}

/** Keeps a picture of the page in `.deckhand/pictures`, when the environment asks for them (`SCREENSHOTS=1`). */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return;
  const folder = join(REPOSITORY, '.deckhand', 'pictures');
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}
