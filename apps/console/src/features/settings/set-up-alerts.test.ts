import { beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, unreachable } from '../../api/api-error.ts';
import { type AlertSteps, setUpAlerts } from './set-up-alerts.ts';

const REFUSED = new ApiError(403, { error: 'This needs the role admin' });
const LOST = unreachable();
const GATEWAY = new ApiError(502, {});

/** A workspace as the API has it. */
class FakeWorkspace implements AlertSteps {
  workflows = new Map<string, 'draft' | 'active'>();
  errorWorkflowId: string | null = null;
  /** Errors of steps, before or after they took effect. */
  failures: { step: string; error: ApiError; after?: boolean }[] = [];

  async #act(step: string, act: () => void): Promise<void> {
    await Promise.resolve();
    const failure = this.failures.find((one) => one.step === step);
    if (!failure || failure.after === true) act();
    if (failure) throw failure.error;
  }
  create = async (): Promise<string> => {
    await this.#act('create', () => this.workflows.set('alerts', 'draft'));
    return 'alerts';
  };
  activate = (id: string) => this.#act('activate', () => this.workflows.set(id, 'active'));
  choose = (id: string) => this.#act('choose', () => (this.errorWorkflowId = id));
  remove = (id: string) => this.#act('remove', () => this.workflows.delete(id));
  readChosen = async (): Promise<string | null> => {
    await this.#act('read', () => undefined);
    return this.errorWorkflowId;
  };
}

let workspace: FakeWorkspace;

beforeEach(() => {
  workspace = new FakeWorkspace();
});

describe('setting up alerts', () => {
  it('activates a workflow and makes it the error workflow', async () => {
    await setUpAlerts(workspace);
    expect([[...workspace.workflows], workspace.errorWorkflowId]).toEqual([[['alerts', 'active']], 'alerts']);
  });

  it.each(['activate', 'choose'])('leaves no workflow behind when the step %s is refused', async (step) => {
    workspace.failures = [{ step, error: REFUSED }];
    await expect(setUpAlerts(workspace)).rejects.toBe(REFUSED);
    expect(workspace.workflows.size).toBe(0);
  });

  it('leaves no workflow behind when the response to its activation is lost', async () => {
    workspace.failures = [{ step: 'activate', error: LOST, after: true }];
    await expect(setUpAlerts(workspace)).rejects.toBe(LOST);
    expect(workspace.workflows.size).toBe(0);
  });

  it.each([
    ['no response', LOST],
    ['a response of a proxy', GATEWAY],
  ])('is done when the last step took effect and there was %s', async (_what, error) => {
    workspace.failures = [{ step: 'choose', error, after: true }];
    await setUpAlerts(workspace);
    expect([[...workspace.workflows], workspace.errorWorkflowId]).toEqual([[['alerts', 'active']], 'alerts']);
  });

  it('keeps the workflow while nobody knows whether the last step took effect', async () => {
    workspace.failures = [
      { step: 'choose', error: LOST, after: true },
      { step: 'read', error: LOST },
    ];
    await expect(setUpAlerts(workspace)).rejects.toBe(LOST);
    expect(workspace.workflows.has('alerts')).toBe(true);
  });

  it('keeps the workflow while the last step may still take effect', async () => {
    workspace.failures = [{ step: 'choose', error: GATEWAY }];
    await expect(setUpAlerts(workspace)).rejects.toBe(GATEWAY);
    expect(workspace.workflows.has('alerts')).toBe(true);
  });
});
