import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Workflow } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.js';
import { type OwnedStack, startOwnedStack } from '../../harness/console.js';
import { OWNER, stopAll, until } from '../../harness/index.js';

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
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const note = (page: Page) => page.locator('.react-flow__node-note');

async function openEditor(name: string, definition: Definition) {
  const id = await stack.createWorkflow(name, definition);
  const { page, complaints } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await page.goto(`/w/${stack.workspaceId}/workflows/${id}`);
  await page.locator('.react-flow__node').first().waitFor();
  const save = async (): Promise<Definition> => {
    await page.keyboard.press('Control+S');
    await page.getByText('Saved', { exact: true }).waitFor();
    return (await stack.say<Workflow>('GET', `/api/workflows/${id}`)).definition!;
  };
  return { page, complaints, save };
}

/** Drags from the lower left corner: nodes may cover the middle of a note. */
async function dragBy(page: Page, target: ReturnType<typeof note>, x: number, y: number): Promise<void> {
  const box = (await target.boundingBox())!;
  const [fromX, fromY] = [box.x + 8, box.y + box.height - 6];
  await page.mouse.move(fromX, fromY);
  await page.mouse.down();
  await page.mouse.move(fromX + x, fromY + y, { steps: 5 });
  await page.mouse.up();
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
    await dragBy(page, note(page), 40, 60);
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

describe('nodes', () => {
  it('are found by name with Ctrl F, and aligned together', async () => {
    const { page, complaints, save } = await openEditor('Found', CHAIN);
    await page.keyboard.press('Control+F');
    await page.getByRole('combobox', { name: 'Find a node' }).fill('chec');
    await page.keyboard.press('Enter');
    await page.locator('.react-flow__node.selected', { hasText: 'Check' }).waitFor();
    await page.getByRole('region', { name: 'Node', exact: true }).getByText('Id check').waitFor();
    await page.keyboard.down('Control');
    await node(page, 'Ship').click();
    await page.keyboard.up('Control');
    await page.getByRole('button', { name: 'Align top' }).click();
    const { nodes } = await save();
    expect(nodes.map(({ position }) => position?.y)).toEqual([0, 70, 140, 140]);
    expect(complaints).toEqual([]);
  });

  it('are dragged together in one step, and undone together', async () => {
    const { page, complaints, save } = await openEditor('Dragged', CHAIN);
    await node(page, 'Check').click();
    await page.keyboard.down('Control');
    await node(page, 'Ship').click();
    await page.keyboard.up('Control');
    await dragBy(page, node(page, 'Ship'), 30, -60);
    const moved = await save();
    const shift = (id: string): number => {
      const yOf = ({ nodes }: Definition): number => nodes.find((one) => one.id === id)?.position?.y ?? 0;
      return yOf(moved) - yOf(CHAIN);
    };
    expect(shift('check')).toBeLessThan(0);
    expect(shift('ship')).toBe(shift('check'));
    expect(shift('read')).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await save()).toEqual(CHAIN);
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
