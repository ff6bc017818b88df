import { type ApprovalEntry, compileUntrusted, type HumanTaskEntry, type JsonObject } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { ADA, EARLIER, LATER, openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, pageOf, refusal } from '../../testing/fake-api.ts';
import { click, fill, user } from '../../testing/hands.ts';

prepareConsole();

const SCHEMA: JsonObject = {
  type: 'object',
  required: ['day', 'isSent'],
  properties: {
    day: { type: 'string', format: 'date' },
    note: { type: 'string', minLength: 3 },
    via: { type: 'string', enum: ['card', 'transfer'], default: 'transfer' },
    isSent: { type: 'boolean' },
  },
};

/** Keeps a decision, and a form that waits once it is taken. */
function keepWaits() {
  const approvals: ApprovalEntry[] = [{ ...example('GET /api/approvals').data[0]!, message: 'Refund 12?' }];
  const task: HumanTaskEntry = {
    ...example('GET /api/human-tasks').data[0]!,
    title: 'When is 12 paid?',
    schema: SCHEMA,
  };
  const tasks: HumanTaskEntry[] = [];
  const given: { decisions: unknown[]; forms: unknown[] } = { decisions: [], forms: [] };
  answer('GET /api/approvals', () => pageOf(approvals));
  answer('GET /api/human-tasks', () => pageOf(tasks));
  answer('POST /api/approvals/submit', ({ body }) => {
    given.decisions.push(body);
    tasks.push({ ...task, waitingSince: LATER });
    approvals.pop();
    return example('POST /api/approvals/submit');
  });
  answer('POST /api/executions/:id/nodes/:nodeId/complete', ({ body: { data } }) => {
    const compiled = compileUntrusted(SCHEMA);
    if ('issues' in compiled) throw new Error('the schema of the form is invalid');
    const checked = compiled.check(data);
    if ('issues' in checked) {
      const issues = checked.issues.map(({ path, message }) => ({ path: `data.${path}`, message }));
      return refusal('VALIDATION_FAILED', 'The form is not valid', issues);
    }
    given.forms.push(data);
    tasks.pop();
    return example('POST /api/executions/:id/nodes/:nodeId/complete');
  });
  return { given, approvals };
}

it('what waits for a person is in one inbox: a decision, then a form with its title, a date field, and issues at their fields', async () => {
  const { given } = keepWaits();
  await openConsole('/approvals');
  await click('link', /^Approvals/);
  await screen.findByText('Refund 12?');
  await click('button', 'Approve');
  await screen.findByText('When is 12 paid?');
  const entry = within(within(screen.getByRole('main')).getByRole('listitem'));
  const day = entry.getByLabelText<HTMLInputElement>(/^Day/);
  expect(day.type).toBe('date');
  await fill(/^Day/, '2026-12-24', entry);
  await fill('Note', 'no', entry);
  await click('button', 'Submit', entry);
  expect((await entry.findByRole('alert')).textContent).toContain('3 characters');
  await fill('Note', 'by transfer', entry);
  await click('button', 'Submit', entry);
  await screen.findByText('No pending approvals');
  // With what it shows without being touched: a default, and a box that is not ticked.
  expect(given.forms).toEqual([{ day: '2026-12-24', note: 'by transfer', via: 'transfer', isSent: false }]);
});

it('who may not answer reads why there are no buttons', async () => {
  const { approvals } = keepWaits();
  approvals.push({ ...approvals.pop()!, canAnswer: false });
  await openConsole('/approvals', { role: 'viewer' });
  await screen.findByText('Refund 12?');
  expect(screen.getByText(/^This is for others to answer/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull();
});

it('is all that an approver has of the workspace, with the API keys', async () => {
  keepWaits();
  await openConsole('/home', { role: 'approver', user: { ...ADA, isAdmin: false } });
  await screen.findByText('Refund 12?');
  const links = within(screen.getByRole('navigation', { name: 'Areas' })).getAllByRole('link');
  expect(links.map((link) => link.getAttribute('href')?.split('/').at(-1))).toEqual(['approvals', 'api-keys']);
  expect(screen.queryByRole('link', { name: 'Open run' })).toBeNull();
  await click('button', 'Approve');
  await screen.findByText('When is 12 paid?');
});

it('an approval waits in the inbox, and is decided with a comment', async () => {
  const { given, approvals } = keepWaits();
  const [entry] = approvals.splice(0);
  await openConsole('/approvals');
  await screen.findByText('No pending approvals');
  // The page reads by itself what waits since.
  approvals.push({ ...entry!, waitingSince: EARLIER });
  await screen.findByText('Refund 12?');
  await fill(/^Comment/, 'before noon');
  await click('button', 'Approve');
  await screen.findByText('When is 12 paid?');
  expect(given.decisions).toMatchObject([
    { decision: 'approved', comment: 'before noon', nodeId: entry!.currentNodeId },
  ]);
});

it('files of a form are stored when they are chosen, and submitted as values', async () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      scan: { type: 'object', file: { accept: ['.pdf'] } },
      photos: { type: 'array', items: { file: { maxBytes: 3 } } },
    },
  };
  answer('GET /api/approvals', () => pageOf([]));
  answer('GET /api/human-tasks', () =>
    pageOf([{ ...example('GET /api/human-tasks').data[0]!, title: 'Scans', schema }]),
  );
  const forms: unknown[] = [];
  answer('POST /api/executions/:id/nodes/:nodeId/complete', ({ body }) => {
    forms.push(body.data);
    return example('POST /api/executions/:id/nodes/:nodeId/complete');
  });
  const value = example('POST /api/workflows/:id/files');
  let isStored: Promise<unknown> = Promise.resolve();
  answer('POST /api/workflows/:id/files', async ({ query, headers }) => {
    await isStored;
    return { file: { ...value.file, name: query.get('name') ?? '', contentType: headers.get('content-type') ?? '' } };
  });
  await openConsole('/approvals');
  await screen.findByText('Scans');
  const form = document.querySelector('form')!;
  const inputs = form.querySelectorAll<HTMLInputElement>('input[type=file]');
  const [scan, photos] = inputs;
  expect([scan?.accept, scan?.multiple, photos?.multiple]).toEqual(['.pdf', false, true]);
  const gate = Promise.withResolvers<undefined>();
  isStored = gate.promise;
  await user.upload(scan!, new File([], 'a.pdf', { type: 'application/pdf' }));
  const submit = screen.getByRole<HTMLButtonElement>('button', { name: 'Submit' });
  // The form would go without the file.
  await waitFor(() => expect(submit.disabled).toBe(true));
  gate.resolve(undefined);
  await waitFor(() => expect(submit.disabled).toBe(false));
  await user.upload(photos!, [new File(['1234'], 'large.png')]);
  expect((await screen.findByText('must have at most 3 bytes')).textContent).toBeTruthy();
  await user.upload(
    photos!,
    ['b', 'c'].map((name) => new File([], name, { type: 'image/png' })),
  );
  await waitFor(() => expect(screen.queryByText('must have at most 3 bytes')).toBeNull());
  await waitFor(() => expect(photos?.disabled).toBe(false));
  await click('button', 'Submit');
  const stored = (name: string, contentType: string) => ({ file: { ...value.file, name, contentType } });
  await waitFor(() =>
    expect(forms).toEqual([
      { scan: stored('a.pdf', 'application/pdf'), photos: [stored('b', 'image/png'), stored('c', 'image/png')] },
    ]),
  );
});
