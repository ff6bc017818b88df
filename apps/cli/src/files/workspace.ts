import { pagesByOffset } from '@deckhand/sdk';
import {
  createFolder,
  type FolderResponse,
  getWorkflow,
  listCredentials,
  listFolders,
  type WorkflowEntry,
  type WorkflowResponse,
} from '@deckhand/sdk/operations';
import { EXIT, ExitError, misused } from '@deckhand/terminal';
import type { Connection } from '../connection.ts';
import { take } from '../take.ts';
import type { FileDocument } from './document.ts';
import { type Ids, type Names, toDocument } from './translate.ts';

/** A workflow of a workspace, as a file would have it. */
export interface RemoteWorkflow {
  readonly id: string;
  /** The `ETag` of what was read, for `If-Match`. */
  readonly etag: string;
  readonly managed: boolean;
  readonly document: FileDocument;
  /** Ids that have no name here, each in a sentence. */
  readonly issues: readonly string[];
}

/** What names stand for in a workspace. */
export interface Workspace extends Names, Ids {
  readonly connection: Connection;
  readonly id: string;
  readonly workflows: readonly WorkflowEntry[];
  /** Returns the id of a folder; undefined if there is none. */
  folderId(path: readonly string[]): string | undefined;
  /** Creates the folders of a path that are missing. @returns the id of the last one. */
  ensureFolder(path: readonly string[]): Promise<string>;
  /** Notes a workflow that was created. */
  add(slug: string, workflowId: string): void;
  /** Reads a workflow. */
  read(id: string): Promise<RemoteWorkflow>;
}

const PAGE = 500;

/** Reads what names stand for in the workspace of a connection. */
export async function openWorkspace(connection: Connection): Promise<Workspace> {
  const { client, workflows: api } = connection.deckhand;
  const workspaceId = await connection.workspaceId();
  const query = { workspaceId, limit: PAGE };
  const [workflows, credentials, folders] = await Promise.all([
    take(api.list(query)),
    take(
      pagesByOffset(
        async (at) => (await listCredentials({ client, query: { ...query, ...at }, throwOnError: true })).data,
      ),
    ),
    take(
      pagesByOffset(async (at) => (await listFolders({ client, query: { ...query, ...at }, throwOnError: true })).data),
    ),
  ]);
  const slugs = new Map(workflows.flatMap(({ id, slug }) => (slug === null ? [] : [[slug, id] as const])));
  const slugById = new Map([...slugs].map(([slug, id]) => [id, slug]));
  const folderById = new Map(folders.map((folder) => [folder.id, folder]));

  const workspace: Workspace = {
    connection,
    id: workspaceId,
    workflows,
    credentialName: (id) => credentials.find((entry) => entry.id === id.toLowerCase())?.name,
    credentialId(name) {
      const named = credentials.filter((entry) => entry.name === name);
      const [first] = named;
      if (!first)
        throw new ExitError(`No credential is named ${name}: create it with "deckhand secrets set".`, EXIT.notFound);
      if (named.length > 1) throw misused(`${named.length} credentials are named ${name}: give them distinct names.`);
      return first.id;
    },
    folderPath(id) {
      const path: string[] = [];
      // Bounded, should folders change while their list is read page by page.
      for (let at = folderById.get(id); at && path.length <= folderById.size;) {
        path.unshift(at.name);
        at = at.parentId === null ? undefined : folderById.get(at.parentId);
      }
      return path;
    },
    folderId(path) {
      let parentId: string | null = null;
      for (const name of path) {
        const here: readonly FolderResponse[] = [...folderById.values()].filter(
          (folder) => folder.name === name && folder.parentId === parentId,
        );
        if (here.length > 1) throw misused(`${here.length} folders are named ${path.join('/')}: rename one.`);
        const [found] = here;
        if (!found) return undefined;
        parentId = found.id;
      }
      return parentId ?? undefined;
    },
    async ensureFolder(path) {
      const known = workspace.folderId(path);
      if (known !== undefined) return known;
      const parent = path.slice(0, -1);
      const parentId = parent.length === 0 ? null : await workspace.ensureFolder(parent);
      const body = { workspaceId, name: path.at(-1) ?? '', parentId };
      const { data } = await createFolder({ client, body, throwOnError: true });
      folderById.set(data.id, data);
      return data.id;
    },
    slugOf: (id) => slugById.get(id.toLowerCase()),
    workflowId: (slug) => slugs.get(slug),
    add(slug, id) {
      slugs.set(slug, id);
      slugById.set(id, slug);
    },
    async read(id) {
      const { data, response } = await getWorkflow({ client, path: { id }, throwOnError: true });
      return toRemote(workspace, data, response.headers.get('etag') ?? '');
    },
  };
  return workspace;
}

function toRemote(workspace: Workspace, workflow: WorkflowResponse, etag: string): RemoteWorkflow {
  const { document, issues } = toDocument(workspace, workflow);
  return { id: workflow.id, etag, managed: workflow.managed, document, issues };
}

/** Number of workflows that are read at a time. */
const AT_A_TIME = 8;

/** Reads workflows. */
export async function readAll(workspace: Workspace, ids: readonly string[]): Promise<readonly RemoteWorkflow[]> {
  const read: RemoteWorkflow[] = [];
  for (let start = 0; start < ids.length; start += AT_A_TIME) {
    read.push(...(await Promise.all(ids.slice(start, start + AT_A_TIME).map((id) => workspace.read(id)))));
  }
  return read;
}

/** Returns the workflows that are named by slug, exact name or id; all of them if none is named. @throws ExitError */
export function selectWorkflows({ workflows }: Workspace, names: readonly string[]): readonly WorkflowEntry[] {
  if (names.length === 0) return workflows;
  const found = names.map((name) => {
    const matches = workflows.filter(({ id, slug }) => slug === name || id === name.toLowerCase());
    const named = matches.length > 0 ? matches : workflows.filter((entry) => entry.name === name);
    const [first] = named;
    if (!first) throw new ExitError(`No workflow has the slug or the name ${name}.`, EXIT.notFound);
    if (named.length > 1) throw misused(`${named.length} workflows are named ${name}: give a slug or an id instead.`);
    return first;
  });
  return [...new Set(found)];
}
