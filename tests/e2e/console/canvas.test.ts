import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Workflow } from '@deckhand/contracts';
import type { Browser, Locator, Page } from 'playwright-core';
import { dragBy, issuesInBothSchemes, openAs, openWindow, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../harness/console.ts';
import { stopAll, until } from '../../harness/index.ts';

const NAMES = ['Start', 'Read', 'Check', 'Ship'];
const CHAIN: Definition = {
  nodes: NAMES.map((name, index) => ({
    id: name.toLowerCase(),
    type: index === 0 ? 'trigger.manual' : 'set',
    name,
    ...(index === 0 ? {} : { parameters: { fields: {} } }),
    position: { x: index * 250, y: index * 70 },
  })),
  edges: NAMES.slice(1).map((name, index) => ({
    source: (NAMES[index] ?? '').toLowerCase(),
    target: name.toLowerCase(),
  })),
};

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const note = (page: Page) => page.locator('.react-flow__node-note');

async function openEditor(name: string, definition: Definition) {
  const id = await stack.createWorkflow(name, definition);
  const { page, complaints } = await openWindow(browser, stack.url);
  await openAs(page, stack, `workflows/${id}`);
  await page.locator('.react-flow__node').first().waitFor();
  const save = async (): Promise<Definition> => {
    await page.keyboard.press('Control+S');
    await page.getByText('Saved', { exact: true }).waitFor();
    return (await stack.say<Workflow>('GET', `/api/workflows/${id}`)).definition!;
  };
  return { page, complaints, save };
}

describe('a note', () => {
  it('is written, moved, resized and colored on the canvas, saved, and each of that is undone', async () => {
    const { page, complaints, save } = await openEditor('Notes', CHAIN);
    await page.keyboard.press('Shift+S');
    await page.getByLabel('Text of the note').fill('Ask *Ada* before a change');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Color blue' }).click();
    const [written] = (await save()).notes ?? [];
    expect(written).toMatchObject({ text: 'Ask *Ada* before a change', color: 'blue', width: 240, height: 160 });
    await dragBy(page, note(page), 0, 160);
    await dragBy(page, note(page).locator('.react-flow__resize-control'), 50, 30);
    expect(await issuesInBothSchemes(page, 'notes', 'desktop')).toEqual([]);
    const [changed] = (await save()).notes ?? [];
    expect(changed!.position.y).toBeGreaterThan(written!.position.y);
    expect(changed!.width).toBeGreaterThan(240);
    const undone = page.getByRole('button', { name: 'Undo' });
    await undone.click();
    await undone.click();
    expect((await save()).notes).toEqual([written]);
    // The color, the text, and the note itself.
    for (let step = 0; step < 3; step += 1) await undone.click();
    await note(page).waitFor({ state: 'detached' });
    expect(await save()).toEqual(CHAIN);
    expect(complaints).toEqual([]);
  });
});

describe('the body of a loop', () => {
  const LOOP: Definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual', position: { x: 0, y: 0 } },
      { id: 'each', type: 'loop', name: 'Each order', parameters: { items: [1, 2, 3] }, position: { x: 250, y: 0 } },
      { id: 'pack', type: 'set', name: 'Pack', parameters: { fields: { box: 1 } }, position: { x: 500, y: 0 } },
      { id: 'ship', type: 'set', name: 'Ship', parameters: { fields: { sent: 1 } }, position: { x: 750, y: 60 } },
    ],
    edges: [
      { source: 'start', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'pack' },
      { source: 'pack', target: 'ship' },
    ],
  };

  it('is framed, also while a node is dragged, and a run says how many iterations it had', async () => {
    const { page, complaints } = await openEditor('Framed', LOOP);
    const frame = page.locator('.react-flow__viewport-portal').getByText('Each order').locator('..');
    const boxOf = async (target: Locator) => (await target.boundingBox())!;
    const isAround = async (name: string): Promise<boolean> => {
      const [outer, inner] = await Promise.all([boxOf(frame), boxOf(node(page, name))]);
      const isWide = outer.x <= inner.x && outer.x + outer.width >= inner.x + inner.width;
      return isWide && outer.y <= inner.y && outer.y + outer.height >= inner.y + inner.height;
    };
    expect([await isAround('Pack'), await isAround('Ship'), await isAround('Each order')]).toEqual([true, true, false]);
    const ship = await boxOf(node(page, 'Ship'));
    await page.mouse.move(ship.x + 20, ship.y + 10);
    await page.mouse.down();
    await page.mouse.move(ship.x + 20, ship.y + 90, { steps: 5 });
    expect(await isAround('Ship')).toBe(true);
    await page.mouse.up();
    expect(await issuesInBothSchemes(page, 'loop', 'desktop')).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await frame.getByText('3 iterations').waitFor();
    await page.getByRole('link', { name: 'Open run' }).click();
    await page.getByRole('region', { name: 'Run', exact: true }).waitFor();
    await frame.getByText('3 iterations').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the inspector', () => {
  it('is made wider by keys, and stays so', async () => {
    const { page, complaints } = await openEditor('Wide', CHAIN);
    const inspector = page.getByRole('region', { name: 'Node', exact: true });
    const widthOf = async (): Promise<number> => Math.round((await inspector.boundingBox())!.width);
    expect(await widthOf()).toBe(420);
    const edge = page.getByRole('separator', { name: 'Resize inspector' });
    await edge.press('ArrowLeft');
    await until(async () => (await widthOf()) === 440);
    await page.reload();
    await edge.waitFor();
    expect(await widthOf()).toBe(440);
    await edge.press('Home');
    await edge.press('End');
    expect(await widthOf()).toBeLessThanOrEqual(720);
    expect(complaints).toEqual([]);
  });
});
