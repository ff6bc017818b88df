import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, ExecuteResponse } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { openWindow, openAs, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../harness/console.ts';
import { stopAll, until } from '../../harness/index.ts';

const LETTERS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    {
      id: 'the-order',
      type: 'set',
      name: 'Order',
      parameters: { fields: { customer: '{{ $trigger.customer }}' } },
      position: { x: 280, y: 0 },
    },
    {
      id: 'letter',
      type: 'set',
      name: 'Letter',
      parameters: { fields: { text: 'Dear ' } },
      position: { x: 560, y: 0 },
    },
    {
      id: 'script',
      type: 'code',
      name: 'Script',
      parameters: { source: 'console.log("written", $input.text); return $input.text;' },
      position: { x: 840, y: 0 },
    },
  ],
  edges: [
    { source: 'start', target: 'the-order' },
    { source: 'the-order', target: 'letter' },
    { source: 'letter', target: 'script' },
  ],
};
const INPUT = { customer: { name: 'Ada', 'first name': 'Augusta' } };

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const dock = (page: Page) => page.getByRole('region', { name: 'Run data' });

/** Saves a workflow, and lets it run to its end. */
async function makeRun(
  name: string,
  definition: Definition,
  input: object,
  executionMode = 'normal',
): Promise<{ id: string; run: string }> {
  const id = await stack.createWorkflow(name, definition);
  const body = { input, executionMode };
  const { executionId: run } = await stack.say<ExecuteResponse>('POST', `/api/workflows/${id}/execute`, body);
  await until(
    async () => (await stack.say<{ finishedAt: string | null }>('GET', `/api/executions/${run}`)).finishedAt !== null,
    'the run to be over',
  );
  return { id, run };
}

const addressOf = ({ id, run }: { id: string; run: string }) => `/w/${stack.workspaceId}/workflows/${id}?run=${run}`;

describe('the data of a node below the canvas', () => {
  it('is collapsed and resized by keyboard, stays so after a reload, and covers nothing of the graph', async () => {
    const made = await makeRun('Sized', LETTERS, INPUT);
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack);
    const address = `${addressOf(made)}&node=script`;
    await page.goto(address);
    await dock(page).getByRole('tree').waitFor();
    const heightOf = async () => (await dock(page).boundingBox())!.height;
    const before = await heightOf();
    const bottom = async () => {
      const box = (await page.locator('.react-flow').boundingBox())!;
      return box.y + box.height;
    };
    expect(await bottom()).toBeLessThanOrEqual((await dock(page).boundingBox())!.y);
    await page.getByRole('separator', { name: 'Resize run data' }).focus();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowUp');
    await until(async () => (await heightOf()) > before + 40, 'a taller dock');
    const taller = await heightOf();
    const camera = (await page.locator('.react-flow').boundingBox())!;
    const card = (await node(page, 'Script').boundingBox())!;
    expect(card.y).toBeGreaterThanOrEqual(camera.y);
    expect(card.y + card.height).toBeLessThanOrEqual(camera.y + camera.height);
    await page.goto(address);
    await until(async () => (await heightOf()) === taller, 'the same height');
    await dock(page).getByRole('button', { name: 'Collapse run data' }).click();
    await until(async () => (await heightOf()) < 60, 'a collapsed dock');
    await page.reload();
    await dock(page).getByRole('button', { name: 'Expand run data' }).click();
    await until(async () => (await heightOf()) === taller, 'the height before');
    expect(complaints).toEqual([]);
  });
});
