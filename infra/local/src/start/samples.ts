import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workflow, WorkflowEntry } from '@deckhand/contracts';
import type { ApiClient } from './api-client.ts';
import type { Access } from './owner.ts';

/** A sample of examples/: a workflow and an input for it. */
export interface Sample {
  /** The name of its folder. */
  readonly id: string;
  readonly name: string;
  readonly input: object;
  /** Whether it calls the receiver. */
  readonly needsReceiver: boolean;
  /** Body of the request that creates it, without the workspace. */
  readonly workflow: { readonly name: string };
}

/** Placeholder in input.json for the receiver's URL. */
const PLACEHOLDER = '{{RECEIVER_URL}}';

/** Reads the samples in the folders of `folder`, for a receiver at `receiverUrl`. Other folders are ignored. */
export async function readSamples(folder: string, receiverUrl: string): Promise<Sample[]> {
  const ids = (await readdir(folder)).filter((id) => existsSync(join(folder, id, 'workflow.json')));
  return Promise.all(
    ids.map(async (id) => {
      const workflow = JSON.parse(await readFile(join(folder, id, 'workflow.json'), 'utf8')) as Sample['workflow'];
      const input = await readFile(join(folder, id, 'input.json'), 'utf8');
      return {
        id,
        name: workflow.name,
        input: JSON.parse(input.replaceAll(PLACEHOLDER, receiverUrl)) as object,
        needsReceiver: input.includes(PLACEHOLDER),
        workflow,
      };
    }),
  );
}

/**
 * Creates the samples' workflows in the workspace; an existing one with the same name is kept.
 * @returns the id of each sample's workflow, by the sample's id.
 */
export async function importSamples(
  api: ApiClient,
  { apiKey, workspaceId }: Access,
  samples: readonly Sample[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const sample of samples) {
    const query = new URLSearchParams({ workspaceId, search: sample.name, limit: '500' });
    const list = await api.call<{ data: WorkflowEntry[] }>({ apiKey }, 'GET', `/api/workflows?${query.toString()}`);
    const existing = list.data.find((workflow) => workflow.name === sample.name);
    const workflow =
      existing ?? (await api.call<Workflow>({ apiKey }, 'POST', '/api/workflows', { workspaceId, ...sample.workflow }));
    ids.set(sample.id, workflow.id);
  }
  return ids;
}
