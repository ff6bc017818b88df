import type { Definition, Draft } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { prepareConsole, reload, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import {
  addNode,
  hasNodes,
  isSaved,
  nodeForm,
  nodeOf,
  nodesOnCanvas,
  openEditor,
  selectNode,
  writeCode,
} from '../../testing/editor.ts';
import { answer, pageOf, refusal } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { definitionOf, type FakeWorkflows, keepWorkflows } from '../../testing/fake-workflows.ts';
import { choose, click, dialog, fill, isGone, user } from '../../testing/hands.ts';
import { newId } from '../../testing/new-id.ts';

prepareConsole();

const CHECK = definitionOf({ id: 'if', type: 'if', name: 'Check', parameters: { condition: '{{ true }}' } });
const HOOK: Definition = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook', name: 'Order arrives' },
    { id: 'keep', type: 'set', name: 'Keep it', parameters: { fields: { sku: '' } } },
  ],
  edges: [{ source: 'hook', target: 'keep' }],
};

async function open(definition: Definition): Promise<{ workflows: FakeWorkflows; id: string }> {
  const workflows = keepWorkflows();
  const id = workflows.add({ name: 'Edited', definition });
  keepRuns((of) => workflows.get(of).workflow);
  await openEditor(id);
  return { workflows, id };
}

/** Waits until the draft is saved. @returns its definition. */
async function draftOf({ workflows, id }: { workflows: FakeWorkflows; id: string }): Promise<Draft['definition']> {
  await isSaved('Draft saved');
  return workflows.get(id).draft!.definition;
}

describe('the form of a node', () => {
  it.each([
    ['set', 'Passes its input through'],
    ['if', 'Takes none of its outputs, because each is a choice'],
    ['approval', 'Takes none of its outputs, because each is a choice'],
    ['wait.event', 'Takes none of its outputs, because each is a choice'],
    ['switch', 'Passes its input through, to the output default'],
    ['loop', 'Passes its input through, to the output done'],
    ['try', 'Passes its input through, to the output success'],
    ['trigger.manual', 'Does not fire'],
  ])('says what a disabled node does: %s', async (type, effect) => {
    const isTrigger = type.startsWith('trigger.');
    await open(isTrigger ? definitionOf() : definitionOf({ id: 'node', type, onError: 'branch' }));
    await selectNode(isTrigger ? 'start' : 'node');
    const form = await nodeForm();
    await user.click(form.getByText('Error handling & settings'));
    expect(form.getByRole('checkbox', { name: 'Disabled', description: effect })).toBeTruthy();
  });

  it('has a group of fields per case of a switch, whose outputs follow, and chooses workflows by name', async () => {
    const opened = await open(CHECK);
    const other = opened.workflows.add({ name: 'Ship an order', definition: HOOK });
    await selectNode('start');
    const form = await addNode('Switch');
    await writeCode(/^Value/, '$trigger.country', form);
    for (const [index, country] of ['DE', 'FR'].entries()) {
      await click('button', 'Add case', form);
      const row = within(await form.findByRole('group', { name: `Case ${index + 1}` }));
      await writeCode(/^Handle/, country.toLowerCase(), row);
      await writeCode(/^Equals/, country, row);
    }
    await click('button', 'Move case 2 up', form);
    const next = await addNode('Run sub-workflow');
    await choose(/^Workflow id/, 'Ship an order', next);
    const { nodes, edges } = await draftOf(opened);
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
    const opened = await open(CHECK);
    const monday = Date.parse('2026-01-05T09:30:00Z');
    const week = 7 * 24 * 3_600_000;
    const asked: (string | null)[][] = [];
    answer('GET /api/schedules/times', ({ query }) => {
      asked.push([query.get('cron'), query.get('timezone')]);
      const times = Array.from({ length: 5 }, (_, index) => new Date(monday + index * week).toISOString());
      return { ...example('GET /api/schedules/times'), times };
    });
    const form = await addNode('Schedule');
    await choose('Repeat', 'Every week', form);
    fireEvent.change(await form.findByLabelText('Time'), { target: { value: '18:30' } });
    await writeCode(/^Timezone/, 'Asia/Tokyo', form);
    await waitFor(() => expect(asked).toContainEqual(['30 18 * * 1', 'Asia/Tokyo']));
    const times = within(await form.findByRole('list', { name: 'Next times' }));
    await waitFor(() => expect(times.getAllByRole('listitem')[0]?.textContent).toMatch(/^Monday.*18:30$/));
    expect(times.getAllByRole('listitem')).toHaveLength(5);
    expect((await draftOf(opened)).nodes.at(-1)?.parameters).toEqual({ cron: '30 18 * * 1', timezone: 'Asia/Tokyo' });
    answer('GET /api/schedules/times', () => refusal('VALIDATION_FAILED', 'cron: 99 is not a minute'));
    await writeCode(/^Cron/, '99 * * * *', form);
    await within(await form.findByRole('alert')).findByText(/cron/);
  });

  it('asks for the details of a signature only where they are needed', async () => {
    const opened = await open(HOOK);
    await selectNode('Order arrives');
    const form = await nodeForm();
    expect(form.queryByRole('group', { name: 'HMAC' })).toBeNull();
    expect(form.queryByLabelText('Signature tolerance seconds')).toBeNull();
    await choose('Signature', 'hmac', form);
    await choose('Encoding', 'base64', within(await form.findByRole('group', { name: 'HMAC' })));
    const [hook] = (await draftOf(opened)).nodes;
    expect(hook?.parameters).toEqual({ signature: 'hmac', hmac: { encoding: 'base64' } });
  });

  it('takes fractions of a second, and keeps texts that look like numbers while rows are added and renamed', async () => {
    const fields = { a: '5', b: 2 };
    const opened = await open(definitionOf({ id: 'keep', type: 'set', name: 'Keep it', parameters: { fields } }));
    const form = await selectNode('Keep it');
    await user.click(await form.findByText('Error handling & settings'));
    await user.type(form.getByLabelText(/^Timeout \(seconds\)/), '0.5');
    const attempts = form.getByLabelText(/^Max attempts/);
    await user.clear(attempts);
    await user.type(attempts, '3');
    // The name is that of another row on the way to the new one.
    const name = form.getByLabelText('Fields: name 2');
    await user.clear(name);
    await user.type(name, 'a');
    await form.findByText('Another row has this name');
    await user.type(name, 'b');
    await click('button', 'Add to fields', form);
    await fill('Fields: name 3', 'c', form);
    await waitFor(() =>
      expect(opened.workflows.get(opened.id).draft?.definition.nodes[1]).toMatchObject({
        timeoutSeconds: 0.5,
        retry: { maxAttempts: 3 },
        parameters: { fields: { a: '5', ab: 2, c: '' } },
      }),
    );
  });

  it('finds a workflow by its name, also one that is not among the first 500', async () => {
    const opened = await open(CHECK);
    const other = opened.workflows.add({ name: 'Ship a parcel', definition: HOOK });
    // As many as the console reads at once, before the one that is meant.
    const [entry] = example('GET /api/workflows').data;
    answer('GET /api/workflows', ({ query }) => {
      const { workspaceId } = WORKSPACE;
      const fillers = Array.from({ length: 500 }, (_, index) => ({ name: `Filler ${index}`, id: newId() }));
      const all = [...fillers, { name: 'Ship a parcel', id: other }];
      const found = all.filter(({ name }) => name.toLowerCase().includes(query.get('search')?.toLowerCase() ?? ''));
      return { ...pageOf(found.slice(0, 500).map((one) => ({ ...entry!, ...one, workspaceId }))), hasMore: true };
    });
    const form = await addNode('Run sub-workflow');
    await user.type(await form.findByRole('combobox', { name: /^Workflow id/ }), 'a parcel');
    await click('option', 'Ship a parcel');
    expect((await draftOf(opened)).nodes.at(-1)?.parameters).toEqual({ workflowId: other });
    // Its name is there, too.
    reload();
    const again = await selectNode('Run sub-workflow');
    const field = await again.findByRole<HTMLInputElement>('combobox', { name: /^Workflow id/ });
    await waitFor(() => expect(field.value).toBe('Ship a parcel'));
  });

  it('has the delays between the attempts of a node', async () => {
    const { workflows, id } = await open(
      definitionOf({ id: 'get', type: 'http', name: 'Get', parameters: { url: 'http://127.0.0.1:1/' } }),
    );
    const form = await selectNode('Get');
    await user.click(await form.findByText('Error handling & settings'));
    expect(form.queryByLabelText(/^Back-off factor/)).toBeNull();
    await fill(/^Max attempts/, '4', form);
    await fill(/^Retry delay \(ms\)/, '250', form);
    await fill(/^Back-off factor/, '1.5', form);
    await fill(/^Max delay \(ms\)/, '9000', form);
    await fill(/^Max delay \(ms\)/, '', form);
    await click('button', 'Save');
    await isSaved('Saved');
    expect(workflows.get(id).workflow.definition?.nodes[1]).toMatchObject({
      retry: { maxAttempts: 4, delayMs: 250, factor: 1.5 },
    });
  });
});

it('the issues of a save are listed by name, each leads to its field, and all are gone with the next edit', async () => {
  await open(CHECK);
  await writeCode(/^Condition/, '{{ 1 + }}', await selectNode('Check'));
  await selectNode('start');
  await click('button', 'Save');
  const graph = within(screen.getByRole('region', { name: 'Graph' }));
  const list = await graph.findByRole('alert');
  await within(list).findByText('Not saved: 1 issue');
  expect(list.textContent).not.toContain('definition');
  await click('button', /^Check/, within(list));
  const form = await nodeForm();
  await within(await form.findByRole('alert')).findByText(/condition/);
  await writeCode(/^Condition/, '{{ 1 + 1 }}', form);
  await isGone('alert', undefined, graph);
});

it('the warnings about a saved version are listed by name, each leads to its node, until they are hidden', async () => {
  await open(CHECK);
  await writeCode(/^Condition/, ' {{ false }}', await selectNode('Check'));
  await selectNode('start');
  const ofDraft = await screen.findByText('1 warning about the draft');
  within(ofDraft.parentElement!).getByText(/^The condition is a text, /);
  await click('button', 'Save');
  const graph = within(screen.getByRole('region', { name: 'Graph' }));
  const list = await graph.findByText('Saved, with 1 warning');
  const warnings = within(list.parentElement!.parentElement!);
  warnings.getByText(/^The condition is a text, .* Put the whole condition into one \{\{ \}\}/);
  await click('button', 'Check', warnings);
  await nodeForm();
  await click('button', 'Hide warnings', warnings);
  await waitFor(() => expect(graph.queryByText('Saved, with 1 warning')).toBeNull());
});

it('an expression needs no braces where a field is one, and plain text that looks like one is pointed out', async () => {
  const opened = await open(HOOK);
  const form = await selectNode('Keep it');
  await writeCode('Fields: value 1', '$trigger.body.sku', form);
  await form.findByText('This is plain text. Put expressions in {{ }}.');
  await writeCode(/^Condition/, '$input.status == 200', await addNode('If'));
  await waitFor(async () =>
    expect((await draftOf(opened)).nodes.at(-1)?.parameters).toEqual({ condition: '{{ $input.status == 200 }}' }),
  );
});

it('a node is added at the first free output', async () => {
  const opened = await open(CHECK);
  await selectNode('Check');
  await addNode('Wait');
  await selectNode('Check');
  await addNode('Merge');
  await waitFor(async () =>
    expect((await draftOf(opened)).edges.slice(1)).toEqual([
      { source: 'if', sourceHandle: 'true', target: 'wait' },
      { source: 'if', sourceHandle: 'false', target: 'merge' },
    ]),
  );
});

it('a node is found by keyboard alone, and a word without a match says what to use', async () => {
  await open(definitionOf());
  await user.keyboard('n');
  const field = await screen.findByRole('combobox', { name: 'Search nodes' });
  await waitFor(() => expect(document.activeElement).toBe(field));
  await user.keyboard('zebra');
  await (await dialog('Add node')).findByText(/No node is found/);
  await user.clear(field);
  await user.keyboard('{ArrowDown}{ArrowUp}{ArrowUp}{Enter}');
  await hasNodes(2);
});

it('nodes are found by name with Ctrl F, and aligned together', async () => {
  const names = ['Start', 'Read', 'Check', 'Ship'];
  const { workflows, id } = await open({
    nodes: names.map((name, index) => ({
      id: name.toLowerCase(),
      type: index === 0 ? 'trigger.manual' : 'set',
      name,
      ...(index === 0 ? {} : { parameters: { fields: {} } }),
      position: { x: index * 250, y: index * 70 },
    })),
    edges: [],
  });
  await user.keyboard('{Control>}f{/Control}');
  await user.type(await screen.findByRole('combobox', { name: 'Find a node' }), 'chec');
  await user.keyboard('{Enter}');
  await (await nodeForm()).findByText('Id check');
  expect(nodesOnCanvas().filter((node) => node.matches('.selected'))).toEqual([await nodeOf('Check')]);
  await user.keyboard('{Control>}');
  (await nodeOf('Ship')).dispatchEvent(new MouseEvent('click', { bubbles: true, ctrlKey: true, view: null }));
  await user.keyboard('{/Control}');
  await click('button', 'Align top');
  await user.keyboard('{Control>}s{/Control}');
  await isSaved('Saved');
  const positions = workflows.get(id).workflow.definition?.nodes.map(({ position }) => position?.y);
  expect(positions).toEqual([0, 70, 140, 140]);
});

it('a workflow becomes a tool by its settings', async () => {
  const { workflows, id } = await open(CHECK);
  await click('button', 'Settings');
  const settings = await dialog();
  await click('checkbox', /^Tool for AI agents/, settings);
  await fill(/^Tool name/, 'nightly_report', settings);
  await click('checkbox', /^May delete or overwrite something/, settings);
  await click('checkbox', 'Changes nothing', settings);
  await click('button', 'Apply', settings);
  await click('button', 'Save');
  await isSaved('Saved');
  expect(workflows.get(id).workflow.definition?.settings).toEqual({
    mcp: { name: 'nightly_report', readOnlyHint: true, destructiveHint: false },
  });
});

it('the settings of a workflow are a part of its definition: changed, taken back, saved', async () => {
  const { workflows, id } = await open(definitionOf());
  const openSettings = async () => {
    await click('button', 'Settings');
    return dialog();
  };
  const save = async (): Promise<void> => {
    await click('button', 'Save');
    await isSaved('Saved');
  };
  let settings = await openSettings();
  await fill(/^Run timeout \(seconds\)/, '3600', settings);
  await fill(/^Max concurrent runs/, '2', settings);
  await fill(/^Webhook requests/, '100', settings);
  await fill(/^Runs per key/, '1', settings);
  await fill(/^Concurrency key/, '{{ $trigger.customer }}', settings);
  await click('button', 'Add event', settings);
  await fill('Event 1: name', 'order.cancelled', settings);
  await fill('Event 1: key', '{{ $trigger.order }}', settings);
  await click('button', 'Apply', settings);
  await isSaved('Draft saved');
  await click('button', 'Undo');
  await isSaved('Saved');
  await click('button', 'Redo');
  await save();
  expect(workflows.get(id).workflow.definition?.settings).toEqual({
    timeoutSeconds: 3_600,
    maxConcurrentExecutions: 2,
    rateLimit: { max: 100, windowSeconds: 60 },
    concurrency: { key: '{{ $trigger.customer }}', limit: 1, onLimit: 'queue' },
    cancelOn: [{ name: 'order.cancelled', key: '{{ $trigger.order }}' }],
  });

  // An error is shown at its field.
  settings = await openSettings();
  await fill(/^Max concurrent runs/, '0', settings);
  await click('button', 'Apply', settings);
  await click('button', 'Save');
  settings = await dialog();
  await settings.findByText(/must be >= 1/);
  expect(settings.getByLabelText(/^Max concurrent runs/).getAttribute('aria-invalid')).toBe('true');
  await fill(/^Max concurrent runs/, '3', settings);
  await fill('Event 1: key', '{{ $nodes.a.output }}', settings);
  await click('button', 'Apply', settings);
  await click('button', 'Save');
  settings = await dialog();
  await settings.findByText(/it can use \$trigger/);
  await click('button', 'Remove event 1', settings);
  await click('button', 'Apply', settings);
  await save();
  // What nobody has changed stays as it is.
  await click('button', 'Apply', await openSettings());
  await isGone('dialog');
  await isSaved('Saved');
});

describe('the form of a connector node', () => {
  const CHAT = { connector: 'chat', version: '1.0.0' };
  const text = { type: 'string' };
  const credential = { ...example('POST /api/credentials'), id: newId(), name: 'Chat', visibility: 'shared' as const };

  /** Answers what the form reads. @returns the requests for choices. */
  function answerChat() {
    const [entry] = example('GET /api/connectors').data;
    if (!entry) throw new Error('the example has no connector');
    const connectors = ['1.0.0', '0.9.0'].map((version) => ({ ...entry, name: 'chat', version, title: 'Chat' }));
    answer('GET /api/connectors', () => pageOf(connectors));
    const operation = {
      ...example('GET /api/connectors/:name/versions/:version/operations').data[0]!,
      id: 'message.send',
    };
    answer('GET /api/connectors/:name/versions/:version/operations', () =>
      pageOf([{ ...operation, title: 'Send a message' }]),
    );
    answer('GET /api/connectors/:name/versions/:version/operations/:operation', () => ({
      ...example('GET /api/connectors/:name/versions/:version/operations/:operation'),
      ...CHAT,
      id: 'message.send',
      schema: {
        type: 'object',
        properties: { body: { type: 'object', properties: { channel: { ...text, title: 'Channel' }, text } } },
      },
      options: { 'body.channel': { action: 'channel.list', value: 'id', label: 'name' } },
    }));
    answer('GET /api/credentials', () => pageOf([credential]));
    const asked: unknown[] = [];
    answer('POST /api/connectors/options', ({ body }) => {
      asked.push(body);
      return { data: [{ value: 'C1', label: 'general' }], next: null };
    });
    return asked;
  }

  it('has the operations of the service, and the choices that it lists once they are opened', async () => {
    const asked = answerChat();
    const opened = await open(definitionOf({ id: 'send', type: 'connector', credentialId: credential.id }));
    await selectNode('send');
    const form = await nodeForm();
    await choose(/^Connector/, 'Chat', form);
    await choose(/^Operation/, 'Send a message', form);
    const body = within(await form.findByRole('group', { name: 'Body' }));
    await body.findByRole('combobox', { name: /^Channel/ });
    expect(asked).toEqual([]);
    await choose(/^Channel/, 'general', body);
    const { nodes } = await draftOf(opened);
    const parameters = { ...CHAT, operation: 'message.send', values: { body: { channel: 'C1' } } };
    expect(nodes.at(-1)?.parameters).toEqual(parameters);
    const { workspaceId } = opened.workflows.get(opened.id).workflow;
    expect(asked).toEqual([
      {
        ...{ workspaceId, workflowId: opened.id, credentialId: credential.id, ...CHAT },
        ...{ operation: 'message.send', field: 'body.channel', values: {} },
      },
    ]);
  });

  it('takes a value that is not a choice', async () => {
    answerChat();
    const parameters = { ...CHAT, operation: 'message.send' };
    const opened = await open(definitionOf({ id: 'send', type: 'connector', credentialId: credential.id, parameters }));
    await selectNode('send');
    const form = await nodeForm();
    const body = within(await form.findByRole('group', { name: 'Body' }));
    await user.type(await body.findByRole('combobox', { name: /^Channel/ }), 'C99');
    await click('option', 'Use “C99”');
    expect((await draftOf(opened)).nodes.at(-1)?.parameters).toMatchObject({ values: { body: { channel: 'C99' } } });
  });

  it('shows the label of a saved value once it is listed, and searches for what is typed only', async () => {
    answerChat();
    const asked: (string | undefined)[] = [];
    const ends: (() => void)[] = [];
    answer('POST /api/connectors/options', async ({ body: { search } }) => {
      asked.push(search);
      await new Promise<void>((resolve) => void ends.push(resolve));
      return { data: search === undefined ? [{ value: 'C1', label: 'general' }] : [], next: null };
    });
    const parameters = { ...CHAT, operation: 'message.send', values: { body: { channel: 'C1' } } };
    await open(definitionOf({ id: 'send', type: 'connector', credentialId: credential.id, parameters }));
    await selectNode('send');
    const body = within(await (await nodeForm()).findByRole('group', { name: 'Body' }));
    const field = await body.findByRole<HTMLInputElement>('combobox', { name: /^Channel/ });
    expect(field.value).toBe('C1');
    await user.click(field);
    await waitFor(() => expect(ends).toHaveLength(1));
    ends[0]?.();
    await waitFor(() => expect(field.value).toBe('general'));
    fireEvent.change(field, { target: { value: 'random' } });
    await waitFor(() => expect(ends).toHaveLength(2));
    expect(field.value).toBe('random');
    ends[1]?.();
    await screen.findByRole('option', { name: 'Use “random”' });
    await user.tab();
    await waitFor(() => expect(field.value).toBe('general'));
    expect(asked).toEqual([undefined, 'random']);
  });
});
