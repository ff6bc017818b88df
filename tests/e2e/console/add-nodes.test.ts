import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Draft } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { issuesOfAccess, openWindow, signIn, startBrowser, takePicture } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });

async function pick(page: Page, word: string): Promise<void> {
  await page.getByRole('dialog', { name: 'Add node' }).getByRole('combobox').fill(word);
  await page.keyboard.press('Enter');
}

describe('a node', () => {
  it('is added after an output, on an edge and where a connection is dropped, by a word for its purpose', async () => {
    const id = await stack.createWorkflow('Plus', {
      nodes: [
        { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
        { id: 'shape', type: 'set', name: 'Shape', parameters: { fields: {} }, position: { x: 280, y: 0 } },
      ],
      edges: [{ source: 'start', target: 'shape' }],
    });
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/workflows/${id}`);
    const edges = async () => (await stack.say<Draft>('GET', `/api/workflows/${id}/draft`)).definition.edges;
    const output = (name: string) => node(page, name).locator('.react-flow__handle.source').first();

    await output('Shape').click();
    const picker = page.getByRole('dialog', { name: 'Add node' });
    await picker.getByRole('option', { name: 'HTTP request' }).waitFor();
    expect(await picker.getByRole('option', { name: 'Schedule' }).count()).toBe(0);
    expect(await issuesOfAccess(page)).toEqual([]);
    await takePicture(page, 'node-picker');
    await pick(page, 'javascript');

    await output('Code').dragTo(page.locator('.react-flow__pane'), { targetPosition: { x: 500, y: 420 } });
    await pick(page, 'slack');
    await node(page, 'HTTP request').waitFor();

    await page.locator('.react-flow__edge').first().press('Enter');
    const here = page.getByRole('button', { name: 'Add node here' });
    const size = async () => (await here.boundingBox())?.width ?? 0;
    const before = await size();
    for (let step = 0; step < 3; step += 1) await page.getByRole('button', { name: 'Zoom Out' }).click();
    // Large enough for a finger at any zoom.
    expect([before >= 24, (await size()) >= 24]).toEqual([true, true]);
    await here.press('Enter');
    await pick(page, 'delay');
    await node(page, 'Wait').waitFor();
    await page.getByRole('status', { name: 'Saved state' }).getByText('Draft saved').waitFor();
    await until(async () => (await edges()).length === 4);
    expect(new Set((await edges()).map(({ source, target }) => `${source} ${target}`))).toEqual(
      new Set(['start wait', 'wait shape', 'shape code', 'code http']),
    );
    expect(complaints).toEqual([]);
  });
});
