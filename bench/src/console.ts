import type { Definition } from '@deckhand/contracts';
import { findChromium } from '@deckhand/local';
import { type Browser, chromium, type Page } from 'playwright-core';
import { generateRuns } from './generate-runs.ts';
import { post, type Stack } from './stack.ts';
import { median } from './suite/times.ts';
import { FOUR_NODES } from './workflows.ts';

/** One measure of the console, as a person sees it. */
export interface ConsoleFigure {
  readonly what: string;
  readonly median: number;
  readonly highest: number;
}

/** A slow connection: the time of a round trip, in ms, and 4 Mbit/s, in bytes a second. */
const SLOW = { latency: 100, throughput: 524_288 } as const;
const SCROLL_MS = 10_000;
const NODES = 300;
const TEXT = 'measured in a large workflow';

/**
 * Measures the console in Chromium: its first visit over a slow connection, a list of `runs` runs while it is scrolled,
 * and a workflow of 300 nodes. Each figure is of `repeat` visits, each without a cache.
 */
export async function consolePages(
  stack: Stack,
  { repeat, runs }: { readonly repeat: number; readonly runs: number },
): Promise<ConsoleFigure[]> {
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error('Chromium is not installed: npm test installs it');
  const workflows = await createWorkflows(stack);
  await generateRuns(stack.db, [{ workspaceId: stack.workspaceId, workflows }], { count: runs }, () => undefined);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const figures = new Map<string, number[]>();
    for (let round = 0; round < repeat; round += 1) {
      for (const measure of [firstVisit, scrolling, largeWorkflow]) {
        for (const [what, value] of Object.entries(await inWindow(browser, stack, measure))) {
          figures.set(what, [...(figures.get(what) ?? []), value]);
        }
      }
    }
    return [...figures].map(([what, values]) => ({
      what,
      median: Math.round(median(values)),
      highest: Math.round(Math.max(...values)),
    }));
  } finally {
    await browser.close();
  }
}

type Figures = Readonly<Record<string, number>>;

async function createWorkflows({
  url,
  apiKey,
  workspaceId,
}: Stack): Promise<{ id: string; latestVersionId: string }[]> {
  const create = (name: string, definition: object) =>
    post<{ id: string; latestVersionId: string }>(
      url,
      '/api/workflows',
      { workspaceId, name, definition },
      { 'x-api-key': apiKey },
    );
  await create('Large', chainsOf(NODES));
  return [await create('Orders', FOUR_NODES)];
}

/** Rows of twelve nodes of a trigger. */
function chainsOf(count: number): Definition {
  const ids = Array.from({ length: count }, (_, index) => `n${index}`);
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      ...ids.map((id, index) => ({ id, type: 'set', name: `Step ${index}`, parameters: { fields: { index } } })),
    ],
    edges: ids.map((target, index) => ({ source: index % 12 === 0 ? 'start' : `n${index - 1}`, target })),
  };
}

async function inWindow(
  browser: Browser,
  stack: Stack,
  measure: (page: Page, workspacePath: string) => Promise<Figures>,
): Promise<Figures> {
  const context = await browser.newContext({ baseURL: stack.url, viewport: { width: 1_440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(
      `sessionStorage.setItem('deckhand.session', ${JSON.stringify(JSON.stringify(stack.session))});
       window.longTasks = [];
       new PerformanceObserver((list) => {
         for (const { duration } of list.getEntries()) window.longTasks.push(duration);
       }).observe({ type: 'longtask' });`,
    );
    return await measure(page, `/w/${stack.workspaceId}`);
  } finally {
    await context.close();
  }
}

async function firstVisit(page: Page, workspacePath: string): Promise<Figures> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: SLOW.latency,
    downloadThroughput: SLOW.throughput,
    uploadThroughput: SLOW.throughput,
  });
  const began = performance.now();
  await page.goto(`${workspacePath}/workflows`, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Orders', exact: true }).waitFor();
  const listed = performance.now() - began;
  const { white, files, bytes } = await page.evaluate<{ white: number; files: number; bytes: number }>(`(() => {
    const files = performance.getEntriesByType('resource').filter(({ name }) => /\\.(js|css|woff2)$/.test(name));
    return {
      white: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
      files: files.filter(({ name }) => name.endsWith('.js')).length,
      bytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    };
  })()`);
  return {
    'first visit: white, ms': white,
    'first visit: list of workflows, ms': listed,
    'first visit: scripts': files,
    'first visit: kB': bytes / 1_000,
  };
}

async function scrolling(page: Page, workspacePath: string): Promise<Figures> {
  await page.goto(`${workspacePath}/runs`);
  const table = page.getByRole('table', { name: 'Runs' });
  await table.getByRole('link').first().waitFor();
  await page.evaluate('window.longTasks.length = 0');
  await page.mouse.move(700, 500);
  const end = performance.now() + SCROLL_MS;
  while (performance.now() < end) await page.mouse.wheel(0, 1_200);
  const tasks = await page.evaluate<number[]>('window.longTasks');
  return {
    'runs: long tasks in 10 s of scrolling': tasks.length,
    'runs: longest task, ms': Math.max(0, ...tasks),
    'runs: rows loaded': Number(await table.getAttribute('aria-rowcount')),
  };
}

/** Does something, and returns the time until it is painted, in ms, by the clock of the page. */
async function untilPainted(page: Page, act: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const began = performance.now();
    ${act};
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
  })`);
}

async function largeWorkflow(page: Page, workspacePath: string): Promise<Figures> {
  await page.goto(`${workspacePath}/workflows`);
  const link = page.getByRole('link', { name: 'Large', exact: true });
  // The code and the data of the editor are loaded while the pointer is on the link.
  await link.hover();
  await page.waitForLoadState('networkidle');
  const nodes = page.locator('.react-flow__node');
  const began = performance.now();
  await link.click();
  await nodes.first().waitFor();
  const open = performance.now() - began;
  await page.waitForLoadState('networkidle');
  const fit = await untilPainted(page, "document.querySelector('.react-flow__controls-fitview').click()");
  await nodes.first().click();
  const field = page.getByLabel('Name', { exact: true });
  await field.waitFor();
  await page.evaluate(`window.keys = []; new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') window.keys.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 })`);
  await field.fill('');
  await field.pressSequentially(TEXT, { delay: 60 });
  const keys = await page.evaluate<number[]>('window.keys');
  return {
    '300 nodes: open, ms': open,
    '300 nodes: fit view, ms': fit,
    '300 nodes: slowest key until it is painted, ms': Math.max(0, ...keys),
  };
}
