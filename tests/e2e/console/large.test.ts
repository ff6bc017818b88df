import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Execution } from '@deckhand/contracts';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { addNode, openWindow, openAs, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../harness/console.ts';
import { stopAll, until } from '../../harness/index.ts';

const ROWS = 25;
const COLUMNS = 12;

/** 300 nodes: rows of nodes of a trigger, side by side. */
function wideWorkflow(): Definition {
  const nodes: Definition['nodes'] = [{ id: 'start', type: 'trigger.manual' }];
  const edges: Definition['edges'] = [];
  for (let row = 0; row < ROWS; row += 1) {
    for (let column = 0; column < COLUMNS; column += 1) {
      const id = `n${row}-${column}`;
      nodes.push({ id, type: 'set', parameters: { fields: { row } } });
      edges.push({ source: column === 0 ? 'start' : `n${row}-${column - 1}`, target: id });
    }
  }
  return { nodes, edges };
}

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
});
afterAll(stopAll);

/** Records from now on the tasks of the page that take more than 50 ms (W3C Long Tasks). */
async function noteLongTasks(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate<undefined>(
    `{
      const tasks = window.longTasks = [];
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) tasks.push(Math.round(duration));
      }).observe({ type: 'longtask' });
    }`,
  );
  return () => page.evaluate<number[]>('window.longTasks');
}

/** Inserts copies of a finished run into the database, a second apart. */
async function copyRun(databaseUrl: string, id: string, copies: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO executions
       SELECT (jsonb_populate_record(e, jsonb_build_object(
         'id', overlay(gen_random_uuid()::text PLACING left(first_id_of(e.created_at)::text, 13) FROM 1)::uuid,
         'created_at', e.created_at - n * interval '1 second', 'started_at', e.started_at - n * interval '1 second',
         'finished_at', e.finished_at - n * interval '1 second'))).*
       FROM executions e, generate_series(1, $2::int) n WHERE e.id = $1::uuid`,
      [id, copies],
    );
  } finally {
    await client.end();
  }
}

function report(what: string, tasks: readonly number[]): void {
  // oxlint-disable-next-line no-console -- a measure, for whoever reads the log
  console.log(`${what}: ${tasks.length} long tasks, the longest ${Math.max(0, ...tasks)} ms`);
}

describe('what is large', () => {
  it('the console loads few scripts at first, all at once, and shows its frame before they run', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    const scripts: string[] = [];
    await page.route(/\.js$/, async (route) => {
      scripts.push(route.request().url());
      // Until the page has asked for all of them, which is before the first is there.
      await until(() => Promise.resolve(scripts.length >= 5));
      await route.continue();
    });
    const shown = page.getByText('Deckhand', { exact: true }).waitFor();
    await openAs(page, stack, 'workflows');
    await shown;
    await page.getByRole('heading', { name: 'Workflows', exact: true }).waitFor();
    expect(scripts.length).toBeLessThanOrEqual(8);
    expect(complaints).toEqual([]);
  });

  it('a workflow of 300 nodes is panned, zoomed and changed', async () => {
    const id = await stack.createWorkflow('Wide', wideWorkflow());
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `workflows/${id}`);
    await page.locator('.react-flow__node').first().waitFor();
    const tasks = await noteLongTasks(page);
    const canvas = await page.locator('.react-flow__pane').boundingBox();
    const [x, y] = [canvas!.x + canvas!.width / 2, canvas!.y + canvas!.height - 60];
    const place = () => page.locator('.react-flow__viewport').getAttribute('style');
    const before = await place();
    await page.mouse.move(x, y);
    for (const delta of [-240, -240, 240, 120]) await page.mouse.wheel(0, delta);
    // With this key pressed, the mouse moves the canvas wherever it is.
    await page.keyboard.down('Space');
    await page.mouse.down();
    await page.mouse.move(x - 200, y - 150, { steps: 25 });
    await page.mouse.up();
    await page.keyboard.up('Space');
    await until(async () => (await place()) !== before);
    report('a workflow of 300 nodes', await tasks());
    await addNode(page, 'Wait');
    await page.getByText('Draft saved').waitFor();
    expect(complaints).toEqual([]);
  });

  it('one node of 300 is dragged, and then all of them', async () => {
    const id = await stack.createWorkflow('Dragged', wideWorkflow());
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `workflows/${id}`);
    const nodes = page.locator('.react-flow__node');
    await nodes.first().waitFor();
    const canvas = await page.locator('.react-flow__pane').boundingBox();
    await page.mouse.move(canvas!.x + canvas!.width / 2, canvas!.y + canvas!.height / 2);
    await until(async () => {
      await page.mouse.wheel(0, 300);
      return (await nodes.count()) > ROWS * COLUMNS;
    });
    const dragged = page.locator(`.react-flow__node[data-id="n12-6"]`);
    const box = await dragged.boundingBox();
    const [x, y] = [box!.x + box!.width / 2, box!.y + box!.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    // The first steps select it, and open its form.
    await page.mouse.move(x + 10, y + 5, { steps: 5 });
    await page.getByLabel('Name', { exact: true }).waitFor();
    const tasks = await noteLongTasks(page);
    await page.mouse.move(x + 60, y + 40, { steps: 60 });
    report('a node of 300 is dragged', await tasks());
    await page.mouse.up();
    await page.getByText('Draft saved').waitFor();
    expect((await dragged.boundingBox())!.x).toBeGreaterThan(box!.x + 50);

    await page.keyboard.down('Shift');
    await page.mouse.move(canvas!.x + 5, canvas!.y + 5);
    await page.mouse.down();
    await page.mouse.move(canvas!.x + canvas!.width - 5, canvas!.y + canvas!.height - 5, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const selected = page.locator('.react-flow__node.selected');
    await until(async () => (await selected.count()) >= ROWS * COLUMNS);
    const first = await dragged.boundingBox();
    const [left, top] = [first!.x + first!.width / 2, first!.y + first!.height / 2];
    await page.mouse.move(left, top);
    await page.mouse.down();
    await page.mouse.move(left + 10, top + 5, { steps: 5 });
    await page.getByText(/^30. nodes$/).waitFor();
    const tasksOfAll = await noteLongTasks(page);
    await page.mouse.move(left + 40, top + 20, { steps: 60 });
    report('300 nodes are dragged', await tasksOfAll());
    expect((await dragged.boundingBox())!.x).toBe(first!.x);
    await page.mouse.up();
    await until(async () => (await dragged.boundingBox())!.x > first!.x + 30);
    expect(await page.getByText(/^30. nodes$/).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('a list of 20,000 runs is scrolled, and only what is seen of it is drawn', async () => {
    const id = await stack.createWorkflow('Busy', { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
    const run = await stack.start(id);
    await until(async () => (await stack.say<Execution>('GET', `/api/executions/${run}`)).status === 'success');
    await copyRun(stack.env.DATABASE_URL ?? '', run, 20_000);
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, 'runs');
    const table = page.getByRole('table', { name: 'Runs' });
    await table.getByRole('link').first().waitFor();
    const tasks = await noteLongTasks(page);
    const loaded = async () => Number(await table.getAttribute('aria-rowcount'));
    const began = Date.now();
    await page.mouse.move(640, 500);
    await until(async () => {
      await page.mouse.wheel(0, 4_000);
      return (await loaded()) > 2_000;
    }, 'two thousand rows');
    report(`${await loaded()} rows of 20,000 runs, in ${Date.now() - began} ms`, await tasks());
    expect(await table.getByRole('row').count()).toBeLessThan(100);
    expect(complaints).toEqual([]);
  });

  it('an output of 5 MB opens, is searched, and is drawn only where it is seen', async () => {
    const id = await stack.createWorkflow('Large', {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'keep', type: 'set', parameters: { fields: { items: '{{ $trigger.items }}' } } },
      ],
      edges: [{ source: 'start', target: 'keep' }],
    });
    const items = Array.from({ length: 50_000 }, (_, index) => ({ index, sku: `SKU-${index}`, note: 'x'.repeat(60) }));
    const run = await stack.start(id, { items });
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `runs/${run}`);
    await page.getByRole('button', { name: /^keep/ }).waitFor();
    const tasks = await noteLongTasks(page);
    await page.getByRole('button', { name: /^keep/ }).click();
    const tree = page.getByRole('tree', { name: 'Output of keep' });
    await tree.getByText('[ 50000 ]').waitFor();
    await tree.getByRole('button', { name: 'Expand .items' }).click();
    await tree.getByText('{ 3 }').first().waitFor();
    await page.getByLabel('Search in: Output of keep').fill('SKU-49999');
    await page.getByText('1 found').waitFor();
    report('an output of 5 MB', await tasks());
    expect(await tree.getByRole('treeitem').count()).toBeLessThan(100);
    expect(complaints).toEqual([]);
  });
});
