import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, PageOf, VersionEntry, Workflow } from '@deckhand/contracts';
import type { Browser, Page, Route } from 'playwright-core';
import { openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

const STEPS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    { id: 'rest', type: 'wait', name: 'Rest', parameters: { seconds: 1 }, position: { x: 280, y: 0 } },
  ],
  edges: [{ source: 'start', target: 'rest' }],
};

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const saved = (page: Page, text: string) =>
  page.getByRole('status', { name: 'Saved state' }).getByText(text, { exact: true }).waitFor();
const read = (id: string) => stack.say<Workflow>('GET', `/api/workflows/${id}`);
const readDraft = (id: string) => stack.say<{ definition: Definition }>('GET', `/api/workflows/${id}/draft`);
const numbersOf = async (id: string) =>
  (await stack.say<PageOf<VersionEntry>>('GET', `/api/workflows/${id}/versions`)).data.map(({ number }) => number);

async function openEditor(name: string): Promise<{ page: Page; id: string }> {
  const id = await stack.createWorkflow(name, STEPS);
  const { page } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await page.goto(`/w/${stack.workspaceId}/workflows/${id}`);
  await page.locator('.react-flow__node', { hasText: 'Rest' }).click();
  return { page, id };
}

const rename = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Node', exact: true }).getByLabel('Name', { exact: true }).fill(name);

/** Holds the saves of versions until `release` is called. `count`: how many there were. */
async function holdSaves(page: Page) {
  const held: Route[] = [];
  let isHolding = true;
  const arrived = Promise.withResolvers<undefined>();
  await page.route('**/api/workflows/*/versions', async (route) => {
    if (!isHolding || route.request().method() !== 'POST') return route.continue();
    held.push(route);
    arrived.resolve(undefined);
    return undefined;
  });
  return {
    arrived: arrived.promise,
    async release() {
      isHolding = false;
      for (const route of held) await route.continue();
    },
  };
}

describe('a version', () => {
  it('leaves no draft behind, also if the page is left while it is saved', async () => {
    const { page, id } = await openEditor('Left at once');
    await rename(page, 'Renamed');
    await saved(page, 'Draft saved');
    const saves = await holdSaves(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saves.arrived;
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await saves.release();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await until(async () => (await read(id)).draftUpdatedAt === null, 10_000, 'the end of the draft');
    expect(await numbersOf(id)).toEqual([2, 1]);
  });

  it('is saved once, however often that is asked for', async () => {
    const { page, id } = await openEditor('Saved twice');
    await rename(page, 'Renamed');
    // Both before the page is rendered again.
    await page.evaluate(
      "for (let i = 0; i < 2; i += 1) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true }))",
    );
    await saved(page, 'Saved');
    // A save that is in flight is waited for by a run, which needs it.
    await rename(page, 'Renamed again');
    const saves = await holdSaves(page);
    await page.keyboard.press('Control+S');
    await saves.arrived;
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await saves.release();
    await page.getByRole('status', { name: 'Current run' }).waitFor();
    expect(await numbersOf(id)).toEqual([3, 2, 1]);
    expect(await page.getByText('Somebody else saved a version').count()).toBe(0);
  });
});

describe('a draft', () => {
  it('whose response was lost is no draft of somebody else', async () => {
    const { page, id } = await openEditor('Lost');
    await page.route(
      '**/api/workflows/*/draft',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await rename(page, 'First');
    await saved(page, 'Draft not saved, retrying');
    expect((await readDraft(id)).definition.nodes[1]?.name).toBe('First');
    await rename(page, 'Second');
    await saved(page, 'Draft saved');
    expect((await readDraft(id)).definition.nodes[1]?.name).toBe('Second');
  });
});
