import { ApiError } from '../../api/api-error.ts';

/** The steps of setting up alerts on failed runs of a workspace. */
export interface AlertSteps {
  /** Creates the workflow that sends them. @returns its id. */
  readonly create: () => Promise<string>;
  readonly activate: (id: string) => Promise<unknown>;
  /** Makes it the error workflow of the workspace. */
  readonly choose: (id: string) => Promise<unknown>;
  /** Returns the id of the workspace's error workflow. */
  readonly readChosen: () => Promise<string | null>;
  readonly remove: (id: string) => Promise<unknown>;
}

/**
 * Creates and activates the workflow, and makes it the error workflow of the workspace. Leaves nothing behind if a step
 * is refused. Without a clear response to the last step, the workflow stays: it may be the error workflow by now, or
 * become it.
 * @throws ApiError of the step that failed.
 */
export async function setUpAlerts({ create, activate, choose, readChosen, remove }: AlertSteps): Promise<void> {
  const id = await create();
  let mayBeChosen = false;
  try {
    await activate(id);
    mayBeChosen = true;
    await choose(id);
  } catch (error) {
    if (!mayBeChosen || isRefusal(error)) await remove(id).catch(() => undefined);
    else if ((await readChosen().catch(() => undefined)) === id) return;
    throw error;
  }
}

/** Returns true if the request certainly had no effect. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}
