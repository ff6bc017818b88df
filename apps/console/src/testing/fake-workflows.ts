import {
  type Definition,
  DeckhandError,
  type Draft,
  type FolderEntry,
  isJsonObject,
  type DefinitionWarning,
  type Version,
  type Workflow,
} from '@deckhand/contracts';
import { checkDefinition } from '../../../api/src/definitions.ts';
import { describeNodeTypes } from '../../../api/src/workflows/describe-node-types.ts';
import { loadNodeTypes } from '../../../../packages/nodes/src/load-node-types.ts';
import { WORKSPACE } from './console.tsx';
import { example } from './contract.ts';
import { answer, type FakeRequest, keep, pageOf, refusal } from './fake-api.ts';
import { newId } from './new-id.ts';

/** A workflow of the fake API. */
export interface FakeWorkflow {
  workflow: Workflow;
  /** The oldest first. */
  readonly versions: Version[];
  draft: Draft | null;
}

/** The workflows of the fake API. */
export interface FakeWorkflows {
  readonly all: FakeWorkflow[];
  readonly folders: FolderEntry[];
  /** What happens before a version is saved. */
  onSave: () => Promise<void>;
  /** Whether the responses to saves of drafts are lost, after the drafts were saved. */
  losesResponses: boolean;
  /** Whether drafts are refused, because the session has ended. */
  isSignedOut: boolean;
  /** Adds a workflow with a first version. @returns its id. */
  add(given: Partial<Workflow> & { readonly name: string; readonly definition: Definition }): string;
  addFolder(name: string, parentId?: string): FolderEntry;
  /** @throws when there is no such workflow. */
  get(id: string): FakeWorkflow;
  /** Changes a workflow, as another person does. */
  change(id: string, changes: Partial<Workflow>): void;
  /** Saves a version, as another person does. @returns its id. */
  saveVersion(id: string, definition: Definition, comment?: string): string;
  /** Saves a draft, as another person does. */
  saveDraft(id: string, definition: Definition): void;
}

/** How long a test URL is open, in ms. */
const TEST_URL_MS = 120_000;

const nodeTypes = await loadNodeTypes();
const entries = describeNodeTypes(nodeTypes);

/** Returns a definition of a trigger, and of nodes that follow one another. */
export function definitionOf(...nodes: Definition['nodes'][number][]): Definition {
  const all = [{ id: 'start', type: 'trigger.manual' }, ...nodes];
  return { nodes: all, edges: nodes.map(({ id }, index) => ({ source: all[index]!.id, target: id })) };
}

/**
 * Answers requests for workflows, their versions, drafts and folders, and for the node types, as the API does:
 * definitions are checked by its own rules, and changes that are based on what is no longer there are refused.
 */
export function keepWorkflows(): FakeWorkflows {
  const all: FakeWorkflow[] = [];
  const folders: FolderEntry[] = keep('/api/folders', [], ({ name, parentId = null }) => folderOf(name, parentId));
  const find = (id = ''): FakeWorkflow | undefined => all.find(({ workflow }) => workflow.id === id);
  const withFound =
    <T, B>(respond: (found: FakeWorkflow, request: FakeRequest<B>) => T) =>
    (request: FakeRequest<B>): T | Response => {
      const found = find(request.params.id);
      return found ? respond(found, request) : refusal('NOT_FOUND');
    };

  const world: FakeWorkflows = {
    all,
    folders,
    onSave: () => Promise.resolve(),
    losesResponses: false,
    isSignedOut: false,
    addFolder(name, parentId) {
      const folder = folderOf(name, parentId ?? null);
      folders.push(folder);
      return folder;
    },
    add(given) {
      const id = newId();
      const latest = versionOf(given.definition, 1, '');
      const { workspaceId } = WORKSPACE;
      const workflow = {
        ...example('GET /api/workflows/:id'),
        id,
        workspaceId,
        latestVersionId: latest.workflowVersionId,
      };
      const webhooks = webhooksOf(given.definition);
      all.push({ workflow: { ...workflow, webhooks, ...given }, versions: [latest], draft: null });
      return id;
    },
    get(id) {
      const found = find(id);
      if (!found) throw new Error(`there is no workflow ${id}`);
      return found;
    },
    change: (id, changes) => change(world.get(id), changes),
    saveVersion(id, definition, comment = '') {
      const found = world.get(id);
      const version = versionOf(definition, found.versions.length + 1, comment);
      found.versions.push(version);
      change(found, { definition, webhooks: webhooksOf(definition), latestVersionId: version.workflowVersionId });
      return version.workflowVersionId;
    },
    saveDraft(id, definition) {
      keepDraft(world.get(id), { definition });
    },
  };

  /** A folder, or null for `none`; with `isDeep`, also the folders in it. */
  const placesIn = (folderId: string, isDeep: boolean): (string | null)[] => {
    const places: (string | null)[] = [folderId === 'none' ? null : folderId];
    if (isDeep) for (const { id, parentId } of folders) if (places.includes(parentId)) places.push(id);
    return places;
  };

  answer('DELETE /api/folders/:id', ({ params: { id = '' } }) => {
    const gone = placesIn(id, true);
    folders.splice(0, folders.length, ...folders.filter((folder) => !gone.includes(folder.id)));
    for (const found of all) if (gone.includes(found.workflow.folderId)) change(found, { folderId: null });
    return undefined;
  });
  answer('GET /api/node-types', () => Response.json(pageOf(entries)));
  answer('GET /api/credentials', () => pageOf([]));
  answer('GET /api/variables', () => pageOf([]));
  answer('GET /api/workspaces/:id/members', () => example('GET /api/workspaces/:id/members'));
  answer('POST /api/workflows/:id/webhooks/:nodeId/test', ({ params: { nodeId } }) => ({
    ...example('POST /api/workflows/:id/webhooks/:nodeId/test'),
    url: `https://deckhand.example/webhook-test/${nodeId}`,
    expiresAt: new Date(Date.now() + TEST_URL_MS).toISOString(),
  }));
  answer('GET /api/workflows', ({ query }) => {
    const search = (query.get('search') ?? '').toLowerCase();
    const status = query.get('status');
    const folderId = query.get('folderId');
    const found = all.filter(
      ({ workflow: { name, description, ...workflow } }) =>
        `${name}\n${description}`.toLowerCase().includes(search) &&
        (status === null || workflow.status === status) &&
        (folderId === null || placesIn(folderId, query.has('includeInnerFolders')).includes(workflow.folderId)),
    );
    return pageOf(found.map(({ workflow }) => toEntry(workflow)));
  });
  answer('POST /api/workflows', async (request) => {
    const checked = await check(request.json);
    if (checked instanceof Response) return checked;
    const { name, description = '', folderId = null, definition } = request.body;
    if (definition === undefined) throw new Error('workflows of the fake API have a version');
    return { ...world.get(world.add({ name, description, folderId, definition })).workflow, ...checked };
  });
  answer(
    'GET /api/workflows/:id',
    withFound(({ workflow }) => Response.json(workflow, { headers: { etag: tagOf(workflow.updatedAt) } })),
  );
  answer(
    'PATCH /api/workflows/:id',
    withFound((found, { body, headers }) => {
      const { workflow } = found;
      if (isStale(headers, workflow.updatedAt)) return refusal('PRECONDITION_FAILED');
      // Without a choice, the latest version becomes the active one, unless there is one.
      const isActivated = body.status === 'active' && workflow.activeVersionId === null;
      change(found, { ...(isActivated && { activeVersionId: workflow.latestVersionId }), ...body });
      return found.workflow;
    }),
  );
  answer(
    'DELETE /api/workflows/:id',
    withFound((found) => void all.splice(all.indexOf(found), 1)),
  );
  answer(
    'POST /api/workflows/:id/duplicate',
    withFound(({ workflow: { definition, description, ...original } }, { body: { name = original.name } }) => {
      const id = world.add({ name, description, definition: definition! });
      return { ...world.get(id).workflow, warnings: [] };
    }),
  );
  answer(
    'GET /api/workflows/:id/versions',
    withFound(({ versions }) => pageOf(versions.toReversed().map(({ definition: _definition, ...entry }) => entry))),
  );
  answer('GET /api/workflows/:id/versions/:versionId', ({ params: { id, versionId } }) => {
    const version = find(id)?.versions.find(({ workflowVersionId }) => workflowVersionId === versionId);
    return version ?? refusal('NOT_FOUND');
  });
  answer('POST /api/workflows/:id/versions', async (request) => {
    const { id = '' } = request.params;
    await world.onSave();
    const { workflow, versions } = world.get(id);
    const checked = await check(request.json);
    if (checked instanceof Response) return checked;
    const { definition, comment, baseVersionId } = request.body;
    if (baseVersionId !== undefined && baseVersionId !== workflow.latestVersionId) return refusal('CONFLICT');
    world.saveVersion(id, definition, comment);
    const { workflowVersionId, number, createdAt } = versions.at(-1)!;
    return { workflowVersionId, number, createdAt, ...checked };
  });
  answer(
    'GET /api/workflows/:id/draft',
    withFound(({ draft }) =>
      draft ? Response.json(draft, { headers: { etag: tagOf(draft.updatedAt) } }) : refusal('NOT_FOUND'),
    ),
  );
  answer(
    'PUT /api/workflows/:id/draft',
    withFound(async (found, { body, headers, json }) => {
      if (world.isSignedOut) return refusal('UNAUTHORIZED');
      const isTaken = headers.get('if-none-match') === '*' && found.draft !== null;
      if (isTaken || isStale(headers, found.draft?.updatedAt)) return refusal('PRECONDITION_FAILED');
      const checked = await check(json);
      const warnings = checked instanceof Response ? [] : checked.warnings;
      const { definition: _definition, ...saved } = keepDraft(found, { ...body, warnings });
      if (world.losesResponses) return Response.error();
      return Response.json(saved, { headers: { etag: tagOf(saved.updatedAt) } });
    }),
  );
  answer(
    'DELETE /api/workflows/:id/draft',
    withFound((found, { headers }) => {
      if (found.draft === null) return refusal('NOT_FOUND');
      if (isStale(headers, found.draft.updatedAt)) return refusal('PRECONDITION_FAILED');
      found.draft = null;
      found.workflow = { ...found.workflow, draftUpdatedAt: null };
      return undefined;
    }),
  );
  answer('GET /api/executions', () => ({ ...pageOf([]), nextCursor: null }));
  answer('GET /api/monitoring/activity', () => ({ workspaceId: WORKSPACE.workspaceId, data: [] }));
  return world;
}

let clock = Date.parse('2026-01-05T08:00:00Z');

/** A time that is later than any before, ISO 8601. */
function now(): string {
  clock += 1_000;
  return new Date(clock).toISOString();
}

function folderOf(name: string, parentId: string | null): FolderEntry {
  const { workspaceId } = WORKSPACE;
  return { ...example('POST /api/folders'), id: newId(), workspaceId, name, parentId };
}

function versionOf(definition: Definition, number: number, comment: string): Version {
  const workflowVersionId = newId();
  const version = example('GET /api/workflows/:id/versions/:versionId');
  return { ...version, workflowVersionId, number, comment, createdAt: now(), definition };
}

function webhooksOf({ nodes }: Definition): Workflow['webhooks'] {
  return nodes
    .filter(({ type }) => type === 'trigger.webhook')
    .map(({ id }) => ({ nodeId: id, url: `https://deckhand.example/webhook/${id}`, method: 'POST' }));
}

function change(found: FakeWorkflow, changes: Partial<Workflow>): void {
  found.workflow = { ...found.workflow, ...changes, updatedAt: now() };
}

function keepDraft(found: FakeWorkflow, { definition, baseVersionId = null, warnings = [] }: Partial<Draft>): Draft {
  const draft = {
    ...example('GET /api/workflows/:id/draft'),
    definition: definition!,
    baseVersionId,
    warnings,
    updatedAt: now(),
  };
  found.draft = draft;
  found.workflow = { ...found.workflow, draftUpdatedAt: draft.updatedAt };
  return draft;
}

function toEntry({
  webhooks: _w,
  schedules: _s,
  draftUpdatedAt: _d,
  definition: _definition,
  hasImportReport: _report,
  ...entry
}: Workflow) {
  return entry;
}

function tagOf(updatedAt: string): string {
  return `"${updatedAt}"`;
}

function isStale(headers: Headers, updatedAt: string | undefined): boolean {
  const wanted = headers.get('if-match');
  return wanted !== null && wanted !== tagOf(updatedAt ?? '');
}

/** Checks the definition in a body by the rules of the API. @returns its warnings, or the refusal of an invalid one. */
async function check(body: unknown): Promise<{ warnings: DefinitionWarning[] } | Response> {
  const definition = isJsonObject(body) ? body.definition : undefined;
  try {
    const { warnings } = await checkDefinition(definition, { by: 'tests', nodeTypes });
    return { warnings: [...warnings] };
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
    return refusal(error.code, error.message, error.details);
  }
}
