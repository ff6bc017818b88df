import type { FileValue, JsonValue } from '@deckhand/contracts';
import { afterEach, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { answer } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { keepWorkflows } from '../../testing/fake-workflows.ts';
import { click } from '../../testing/hands.ts';
import { ORDERS } from '../../testing/orders.ts';

prepareConsole();
afterEach(() => {
  jest.restoreAllMocks();
});

const ID = '01890a5d-ac96-774b-bcce-b302099a805';

function fileOf(digit: number, name: string, contentType: string, bytes = 3): FileValue {
  return { file: { id: `${ID}${digit}`, name, contentType, bytes, sha256: 'ab'.repeat(32) } };
}

/** Opens a run with an output of a node. @returns the list of its files. */
async function openOutput(output: JsonValue): Promise<HTMLElement> {
  const workflows = keepWorkflows();
  const { workflow } = workflows.get(workflows.add({ name: 'Orders', definition: ORDERS }));
  const runs = keepRuns((id) => workflows.get(id).workflow);
  const id = runs.add(workflow, { status: 'success', nodes: { start: { output: {} }, price: { output } } });
  answer('GET /api/executions/:id/files/:fileId', ({ params }) => {
    expect(params).toMatchObject({ id, fileId: `${ID}1` });
    return new Response('\x89PNG', { headers: { 'content-type': 'application/octet-stream' } });
  });
  await openConsole(`/runs/${id}`);
  await click('button', /^Add the price/);
  return screen.findByRole('list', { name: 'Files' });
}

it('lists each file of an output once, wherever it is, above its tree', async () => {
  const scan = fileOf(1, 'scan.png', 'image/png', 2_048);
  const list = await openOutput({
    scans: [scan, { again: scan.file }],
    text: fileOf(2, 'a\u202Etxt.html', 'text/html'),
  });
  const rows = within(list).getAllByRole('listitem');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'scan.pngimage/png, 2.0 KiBDownloadPreview',
    'atxt.htmltext/html, 3 bytesDownload',
  ]);
});

it('downloads a file, and shows an image, with the session of the person', async () => {
  const urls: Blob[] = [];
  jest.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    if (content instanceof Blob) urls.push(content);
    return `blob:${urls.length}`;
  });
  const saved: string[] = [];
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  await openOutput(fileOf(1, 'scan.png', 'image/png'));
  await click('button', 'Download scan.png');
  await waitFor(() => expect(saved).toEqual(['scan.png']));
  await click('button', 'Preview scan.png');
  const image = await screen.findByRole('img', { name: 'scan.png' });
  expect(image.getAttribute('src')).toBe('blob:2');
  expect(urls[1]?.type).toBe('image/png');
  await click('button', 'Preview scan.png');
  await waitFor(() => expect(screen.queryByRole('img', { name: 'scan.png' })).toBeNull());
});

it.each([
  ['an SVG', fileOf(1, 'a.svg', 'image/svg+xml')],
  ['a page', fileOf(1, 'a.html', 'text/html')],
  ['an image of more than 10 MiB', fileOf(1, 'a.png', 'image/png', 10_485_761)],
])('does not show %s', async (_what, file) => {
  const list = await openOutput(file);
  expect(within(list).queryByRole('button', { name: /^Preview/ })).toBeNull();
});
