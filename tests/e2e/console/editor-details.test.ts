import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { addNode, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

const CHECK: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    { id: 'if', type: 'if', name: 'Check', parameters: { condition: '{{ true }}' }, position: { x: 280, y: 0 } },
  ],
  edges: [{ source: 'start', target: 'if' }],
};
const HOOK: Definition = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook', name: 'Order arrives', position: { x: 0, y: 0 } },
    { id: 'keep', type: 'set', name: 'Keep it', parameters: { fields: { sku: '' } }, position: { x: 280, y: 0 } },
  ],
  edges: [{ source: 'hook', target: 'keep' }],
};

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const field = (page: Page, label: string) => form(page).locator('.cm-content').and(form(page).getByLabel(label));
const saved = (page: Page, text: string) => page.getByRole('status', { name: 'Saved state' }).getByText(text).waitFor();
const draftOf = async (id: string) =>
  (await stack.say<{ definition: Definition }>('GET', `/api/workflows/${id}/draft`)).definition;

async function openEditor(name: string, definition: Definition): Promise<{ page: Page; id: string }> {
  const id = await stack.createWorkflow(name, definition);
  const { page } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await page.goto(`/w/${stack.workspaceId}/workflows/${id}`);
  await page.locator('.react-flow__node').first().waitFor();
  return { page, id };
}

async function add(page: Page, title: string): Promise<void> {
  await addNode(page, title);
  await form(page).getByRole('heading', { name: title, exact: true }).waitFor();
}

/** The scale of the camera. */
const zoomOf = async (page: Page): Promise<string | undefined> => {
  const style = (await page.locator('.react-flow__viewport').getAttribute('style')) ?? '';
  return /scale\(([^)]+)\)/.exec(style)?.[1];
};

describe('the canvas', () => {
  it('adds a node at the first free output, never zooms by itself, and marks the selected edge', async () => {
    const { page, id } = await openEditor('Outputs', CHECK);
    const zoom = await zoomOf(page);
    await node(page, 'Check').click();
    await add(page, 'Wait');
    await page.locator('.react-flow__node', { hasText: 'Check' }).focus();
    await page.keyboard.press('Enter');
    await form(page).getByRole('heading', { name: 'If', exact: true }).waitFor();
    await add(page, 'Merge');
    await saved(page, 'Draft saved');
    expect((await draftOf(id)).edges.slice(1)).toEqual([
      { source: 'if', sourceHandle: 'true', target: 'wait' },
      { source: 'if', sourceHandle: 'false', target: 'merge' },
    ]);
    expect(await zoomOf(page)).toBe(zoom);
    const edges = page.locator('.react-flow__edge');
    await edges.first().focus();
    await page.keyboard.press('Enter');
    await page.locator('.react-flow__edge.selected').waitFor({ state: 'attached' });
    const strokes = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.react-flow__edge-path')].map((path) => getComputedStyle(path).stroke)",
    );
    expect(strokes).toHaveLength(3);
    expect(strokes[0]).not.toBe(strokes[1]);
  });

  it('lists the issues of a save by name, each leads to its field, and all are gone with the next edit', async () => {
    const { page } = await openEditor('Issues', CHECK);
    const graph = page.getByRole('region', { name: 'Graph' });
    const before = await graph.boundingBox();
    await node(page, 'Check').click();
    await field(page, 'Condition').fill('{{ 1 + }}');
    await node(page, 'Start').click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const list = graph.getByRole('alert');
    await list.getByText('Not saved: 1 issue').waitFor();
    expect(await list.innerText()).not.toContain('definition');
    expect(await graph.boundingBox()).toEqual(before);
    await list.getByRole('button', { name: 'Check' }).click();
    await form(page)
      .getByRole('alert')
      .getByText(/condition/)
      .waitFor();
    await field(page, 'Condition').fill('{{ 1 + 1 }}');
    await list.waitFor({ state: 'detached' });
  });
});

describe('an expression', () => {
  it('needs no braces where a field is one, and plain text that looks like one is pointed out', async () => {
    const { page, id } = await openEditor('Braces', HOOK);
    await node(page, 'Keep it').click();
    await field(page, 'Fields: value 1').fill('$trigger.body.sku');
    await form(page).getByText('This is plain text. Put expressions in {{ }}.').waitFor();
    await add(page, 'If');
    await field(page, 'Condition').fill('$input.status == 200');
    await saved(page, 'Draft saved');
    const { nodes } = await draftOf(id);
    expect(nodes.at(-1)?.parameters).toEqual({ condition: '{{ $input.status == 200 }}' });
  });

  it('is completed before a first run, as far as the data are known', async () => {
    const { page } = await openEditor('New', HOOK);
    await node(page, 'Keep it').click();
    const value = field(page, 'Fields: value 1');
    await value.click();
    await page.keyboard.type('{{ $trigger.');
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'headers' }).waitFor();
  });
});

describe('a run from the editor', () => {
  it('starts with Ctrl Enter, and its input is there again after a reload', async () => {
    const { page } = await openEditor('Started', CHECK);
    await page.keyboard.press('Control+Enter');
    const input = page.getByRole('dialog').getByRole('textbox', { name: 'Input' });
    await input.fill('{ "amount": 7 }');
    await input.press('Control+Enter');
    await node(page, 'Check').getByRole('img', { name: 'Success' }).waitFor();
    await page.reload();
    await node(page, 'Check').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await until(async () => (await input.inputValue()) === '{ "amount": 7 }');
  });

  it('by a test event is announced, and shown on the canvas', async () => {
    const { page } = await openEditor('Tested', HOOK);
    await node(page, 'Order arrives').click();
    await page.getByRole('button', { name: 'Listen for test event' }).click();
    const status = page.getByRole('status', { name: 'Test event' });
    await status.getByText(/^Listening/).waitFor();
    const address = await form(page)
      .getByText(/webhook-test/)
      .textContent();
    const { pathname } = new URL(address!.slice('POST '.length));
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"sku":"A-17"}' };
    expect((await fetch(stack.url + pathname, sent)).status).toBe(200);
    await status.getByText('Event received. Its run is on the canvas.').waitFor();
    await node(page, 'Keep it').getByRole('img', { name: 'Success' }).waitFor();
  });
});

describe('the form of a node', () => {
  it('has a group of fields per case of a switch, whose outputs follow, and chooses workflows by name', async () => {
    const { page, id } = await openEditor('Cases', CHECK);
    const other = await stack.createWorkflow('Ship an order', HOOK);
    await node(page, 'Start').click();
    await add(page, 'Switch');
    await field(page, 'Value').fill('$trigger.country');
    for (const [index, country] of ['DE', 'FR'].entries()) {
      await form(page).getByRole('button', { name: 'Add case' }).click();
      const row = form(page).getByRole('group', { name: `Case ${index + 1}` });
      await row.locator('.cm-content').and(row.getByLabel('Handle')).fill(country.toLowerCase());
      await row.locator('.cm-content').and(row.getByLabel('Equals')).fill(country);
    }
    await form(page).getByRole('button', { name: 'Move case 2 up' }).click();
    await add(page, 'Run sub-workflow');
    await form(page).getByRole('combobox', { name: 'Workflow id' }).click();
    await page.getByRole('option', { name: 'Ship an order' }).click();
    await saved(page, 'Draft saved');
    const { nodes, edges } = await draftOf(id);
    const cases = [
      { handle: 'fr', equals: 'FR' },
      { handle: 'de', equals: 'DE' },
    ];
    expect(nodes.slice(2).map(({ parameters }) => parameters)).toEqual([
      { value: '{{ $trigger.country }}', cases },
      { workflowId: other },
    ]);
    expect(edges.at(-1)).toEqual({ source: 'switch', sourceHandle: 'fr', target: 'workflow' });
  });

  it('composes a schedule, and shows its next five times in its time zone', async () => {
    const { page, id } = await openEditor('Nightly', CHECK);
    await add(page, 'Schedule');
    await form(page).getByRole('combobox', { name: 'Repeat' }).click();
    await page.getByRole('option', { name: 'Every week' }).click();
    await form(page).getByLabel('Time', { exact: true }).fill('18:30');
    await field(page, 'Timezone').fill('Asia/Tokyo');
    const times = form(page).getByRole('list', { name: 'Next times' }).getByRole('listitem');
    await times
      .first()
      .getByText(/^Monday.*18:30$/)
      .waitFor();
    expect(await times.count()).toBe(5);
    await saved(page, 'Draft saved');
    expect((await draftOf(id)).nodes.at(-1)?.parameters).toEqual({ cron: '30 18 * * 1', timezone: 'Asia/Tokyo' });
    await field(page, 'Cron').fill('99 * * * *');
    await form(page).getByRole('alert').getByText(/cron/).waitFor();
  });

  it('takes fractions of a second, and keeps texts that look like numbers while rows are added and renamed', async () => {
    const { page, id } = await openEditor('Fields', {
      nodes: [
        { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
        {
          id: 'keep',
          type: 'set',
          name: 'Keep it',
          parameters: { fields: { a: '5', b: 2 } },
          position: { x: 280, y: 0 },
        },
      ],
      edges: [{ source: 'start', target: 'keep' }],
    });
    await node(page, 'Keep it').click();
    await form(page).getByText('Error handling & settings').click();
    await form(page).getByLabel('Timeout (seconds)').pressSequentially('0.5');
    const attempts = form(page).getByLabel('Max attempts');
    await attempts.fill('');
    await attempts.pressSequentially('3');
    // The name is that of another row on the way to the new one.
    const name = form(page).getByLabel('Fields: name 2');
    await name.fill('a');
    await form(page).getByText('Another row has this name').waitFor();
    await name.press('End');
    await name.pressSequentially('b');
    await form(page).getByRole('button', { name: 'Add to fields' }).click();
    await form(page).getByLabel('Fields: name 3').fill('c');
    await saved(page, 'Draft saved');
    await until(async () => Object.keys((await draftOf(id)).nodes[1]?.parameters?.fields ?? {}).includes('c'));
    expect((await draftOf(id)).nodes[1]).toMatchObject({
      timeoutSeconds: 0.5,
      retry: { maxAttempts: 3 },
      parameters: { fields: { a: '5', ab: 2, c: '' } },
    });
  });

  it('finds a workflow by its name, also one that is not among the first 500', async () => {
    const other = await stack.createWorkflow('Ship a parcel', HOOK);
    const { page, id } = await openEditor('Caller', CHECK);
    const client = new pg.Client({ connectionString: stack.env.DATABASE_URL });
    await client.connect();
    await client.query(
      `INSERT INTO workflows (id, workspace_id, name, updated_at)
       SELECT gen_random_uuid(), $1, 'Filler ' || n, now() + interval '1 hour' FROM generate_series(1, 500) n`,
      [stack.workspaceId],
    );
    await client.end();
    await add(page, 'Run sub-workflow');
    const field = form(page).getByRole('combobox', { name: 'Workflow id' });
    await field.fill('a parcel');
    await page.getByRole('option', { name: 'Ship a parcel' }).click();
    await saved(page, 'Draft saved');
    expect((await draftOf(id)).nodes.at(-1)?.parameters).toEqual({ workflowId: other });
    // Its name is there, too.
    await page.reload();
    await node(page, 'Run sub-workflow').click();
    await until(async () => (await field.inputValue()) === 'Ship a parcel');
  });
});
