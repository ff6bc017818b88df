import type { Definition, User } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { endSession } from '../../session/store.ts';
import { ADA, prepareConsole, WORKSPACE } from '../../testing/console.tsx';
import { isSaved, nodeOf, openEditor, selectNode } from '../../testing/editor.ts';
import { answer } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { type FakeWorkflows, keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, dialog, fill, user } from '../../testing/hands.ts';

prepareConsole();

const STEPS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    { id: 'rest', type: 'wait', name: 'Rest', parameters: { seconds: 1 }, position: { x: 280, y: 0 } },
  ],
  edges: [{ source: 'start', target: 'rest' }],
};

async function openSteps(): Promise<{ workflows: FakeWorkflows; id: string }> {
  const workflows = keepWorkflows();
  const id = workflows.add({ name: 'Steps', definition: STEPS });
  keepRuns((of) => workflows.get(of).workflow);
  await openEditor(id);
  await selectNode('Rest');
  return { workflows, id };
}

/** Renames the selected node in one edit: on a slow machine, a cleared field would be saved as a draft before. */
async function rename(name: string): Promise<void> {
  await user.tripleClick(await screen.findByLabelText('Name', { selector: 'input' }));
  await user.paste(name);
}

const numbersOf = (workflows: FakeWorkflows, id: string) => workflows.get(id).versions.map(({ number }) => number);

/** Holds the saves of versions until `release` is called. */
function holdSaves(workflows: FakeWorkflows) {
  const arrived = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  workflows.onSave = async () => {
    arrived.resolve(undefined);
    await released.promise;
  };
  return { arrived: arrived.promise, release: () => released.resolve(undefined) };
}

describe('a version', () => {
  it('leaves no draft behind, also if the page is left while it is saved', async () => {
    const { workflows, id } = await openSteps();
    await rename('Renamed');
    await isSaved('Draft saved');
    const saves = holdSaves(workflows);
    await click('button', 'Save');
    await saves.arrived;
    await click('link', 'Runs');
    saves.release();
    await screen.findByRole('heading', { name: 'Runs' });
    await waitFor(() => expect(workflows.get(id).draft).toBeNull());
    expect(numbersOf(workflows, id)).toEqual([1, 2]);
  });

  it('is saved once, however often that is asked for', async () => {
    const { workflows, id } = await openSteps();
    await rename('Renamed');
    // Both before the page is rendered again.
    for (let i = 0; i < 2; i += 1) {
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true }),
      );
    }
    await isSaved('Saved');
    // A save that is in flight is waited for by a run, which needs it.
    await rename('Renamed again');
    const saves = holdSaves(workflows);
    await user.keyboard('{Control>}s{/Control}');
    await saves.arrived;
    await user.keyboard('{Control>}{Enter}{/Control}');
    await click('button', 'Run', await dialog());
    saves.release();
    await screen.findByRole('status', { name: 'Current run' });
    expect(numbersOf(workflows, id)).toEqual([1, 2, 3]);
    expect(screen.queryByText(/Somebody else saved a version/)).toBeNull();
  });
});

describe('a draft', () => {
  it('whose response was lost is not a draft of somebody else', async () => {
    const { workflows, id } = await openSteps();
    workflows.losesResponses = true;
    await rename('First');
    await isSaved('Draft not saved, retrying');
    const nameOf = () => workflows.get(id).draft?.definition.nodes[1]?.name;
    expect(nameOf()).toBe('First');
    workflows.losesResponses = false;
    await rename('Second');
    await isSaved('Draft saved');
    expect(nameOf()).toBe('Second');
  });
});

describe('an edit that is not saved when the session ends', () => {
  const GRACE: User = { ...ADA, id: '0198a000-0000-7000-8000-0000000000bb', email: 'grace@example.com', name: 'Grace' };

  /** Lets a session end at the next save of a draft, and people sign in. */
  function endAtSave(workflows: FakeWorkflows): void {
    workflows.isSignedOut = true;
    answer('GET /api/auth/setup', () => ({ isOpen: false }));
    answer('POST /api/auth/login', ({ body: { email } }) => {
      const user = email === ADA.email ? ADA : GRACE;
      workflows.isSignedOut = false;
      answer('GET /api/auth/me', () => ({ user, workspaces: [{ ...WORKSPACE, role: 'owner' as const }] }));
      return { token: `of ${user.name}`, expiresAt: '2099-01-01T00:00:00.000Z', user };
    });
  }

  const keptEdits = () => Object.keys(sessionStorage).filter((key) => key.startsWith('deckhand.edit'));

  async function signIn(email: string): Promise<void> {
    await screen.findByRole('heading', { name: 'Sign in' });
    await fill(/^E-mail/, email);
    await fill(/^Password/, 'correct horse battery');
    await click('button', 'Sign in');
  }

  it('is there again, and saved, once the same person has signed in', async () => {
    const { workflows, id } = await openSteps();
    endAtSave(workflows);
    await rename('Renamed');
    await signIn(ADA.email);
    await nodeOf('Renamed');
    await isSaved('Draft saved');
    expect(workflows.get(id).draft?.definition.nodes[1]?.name).toBe('Renamed');
    expect(keptEdits()).toEqual([]);
  });

  it('is also kept if another request ends the session before it is sent', async () => {
    const { workflows, id } = await openSteps();
    await rename('Renamed');
    await isSaved('Draft saved');
    endAtSave(workflows);
    await rename('Renamed again');
    act(() => endSession());
    await signIn(ADA.email);
    await nodeOf('Renamed again');
    await isSaved('Draft saved');
    expect(workflows.get(id).draft?.definition.nodes[1]?.name).toBe('Renamed again');
  });

  it('overwrites no draft that somebody else has saved meanwhile', async () => {
    const { workflows, id } = await openSteps();
    endAtSave(workflows);
    await rename('Mine');
    await screen.findByRole('heading', { name: 'Sign in' });
    const [start, rest] = STEPS.nodes;
    workflows.saveDraft(id, { ...STEPS, nodes: [start!, { ...rest!, name: 'Theirs' }] });
    await signIn(ADA.email);
    await nodeOf('Mine');
    expect(keptEdits()).toHaveLength(1);
    await click('button', 'Resolve…');
    await click('button', 'Load their draft', await dialog());
    await nodeOf('Theirs');
    expect(workflows.get(id).draft?.definition.nodes[1]?.name).toBe('Theirs');
    expect(keptEdits()).toEqual([]);
  });

  it('is never shown to another person', async () => {
    const { workflows, id } = await openSteps();
    endAtSave(workflows);
    await rename('Renamed');
    await signIn(GRACE.email);
    await nodeOf('Rest');
    await click('button', 'Signed in as Grace');
    expect(document.body.textContent).not.toContain('Renamed');
    expect(workflows.get(id).draft).toBeNull();
    expect(keptEdits()).toEqual([]);
  });
});
