import Type, { type Static } from 'typebox';
import { AnyObject, CLOSED, Id, KnownPerson, nullable, oneOf, pageOf, pageQuery, Time } from './common.ts';
import { WARNING_CODES } from '../warnings.ts';
import { Definition } from './definition.ts';

/** Status of a workflow; only an active one takes webhooks and schedules. */
export const WORKFLOW_STATUSES = ['draft', 'active', 'inactive'] as const;
export type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];

/** The value in a filter that selects the workflows that are in no folder. */
export const NO_FOLDER = 'none';

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Description = Type.String({ maxLength: 10_000 });

/** The value that starts no workflow when a run fails. */
export const NO_ERROR_WORKFLOW = 'none';

const ErrorWorkflow = nullable(Type.Union([Id, Type.Literal(NO_ERROR_WORKFLOW)]), {
  description: `The workflow of the workspace that is started when a run fails or times out; null for that of the workspace, "${NO_ERROR_WORKFLOW}" for none`,
});

/** Matches slugs of workflows. A text that is a UUID is an id, wherever both are allowed. */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const Slug = Type.String({
  pattern: SLUG_PATTERN.source,
  maxLength: 64,
  description: 'Names it in files, commands and starts; unique in the workspace',
});
const Managed = Type.Boolean({ description: 'Files define it: the console shows it and does not change it' });

export const CreateWorkflowBody = Type.Object(
  {
    workspaceId: Id,
    name: Name,
    slug: Type.Optional(Slug),
    description: Type.Optional(Description),
    folderId: Type.Optional(nullable(Id)),
    definition: Type.Optional(Definition),
  },
  CLOSED,
);

export const UpdateWorkflowBody = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    folderId: Type.Optional(nullable(Id)),
    status: Type.Optional(oneOf(WORKFLOW_STATUSES)),
    activeVersionId: Type.Optional(Id),
    errorWorkflowId: Type.Optional(ErrorWorkflow),
    slug: Type.Optional(Slug),
    managed: Type.Optional(Managed),
  },
  { ...CLOSED, minProperties: 1 },
);

/** Body of POST /api/workflows/apply. What is left out stays as it is; in a new workflow, it has its default. */
export const ApplyWorkflowBody = Type.Object(
  {
    workspaceId: Id,
    slug: Slug,
    name: Name,
    description: Type.Optional(Description),
    folderId: Type.Optional(nullable(Id)),
    status: Type.Optional(oneOf(WORKFLOW_STATUSES)),
    errorWorkflowId: Type.Optional(ErrorWorkflow),
    managed: Type.Optional(Managed),
    definition: Type.Optional(Definition),
    comment: Type.Optional(Type.String({ maxLength: 2_000, description: 'Of the version that is saved' })),
  },
  CLOSED,
);

/** Body of POST /api/workflows/{id}/duplicate; all of it is optional. */
export const DuplicateWorkflowBody = Type.Object(
  {
    name: Type.Optional({ ...Name, description: 'By default that of the original, with "(copy)"' }),
    workspaceId: Type.Optional({ ...Id, description: 'By default that of the original' }),
    folderId: Type.Optional(nullable(Id, { description: 'By default that of the original, in the same workspace' })),
    versionId: Type.Optional({ ...Id, description: 'The version to start with; by default the latest' }),
  },
  CLOSED,
);

export const SaveVersionBody = Type.Object(
  {
    definition: Definition,
    comment: Type.Optional(Type.String({ maxLength: 2_000 })),
    baseVersionId: Type.Optional(Id),
  },
  CLOSED,
);

export const ListWorkflowsQuery = Type.Object({
  workspaceId: Id,
  status: Type.Optional(oneOf(WORKFLOW_STATUSES)),
  folderId: Type.Optional(
    Type.Union([Id, Type.Literal(NO_FOLDER)], {
      description: `A folder, or "${NO_FOLDER}": workflows that are in none`,
    }),
  ),
  includeInnerFolders: Type.Boolean({
    default: false,
    description: 'With folderId: include the workflows of its subfolders',
  }),
  search: Type.Optional(Type.String({ maxLength: 200 })),
  sortBy: oneOf(['updatedAt', 'createdAt', 'name'], { default: 'updatedAt' }),
  sortOrder: oneOf(['asc', 'desc'], { default: 'desc' }),
  ...pageQuery(),
});

const WorkflowFields = {
  id: Id,
  workspaceId: Id,
  name: Type.String(),
  description: Type.String(),
  status: oneOf(WORKFLOW_STATUSES),
  folderId: nullable(Id),
  slug: nullable(Type.String(), { description: 'Names it in files, commands and starts; null until one is given' }),
  managed: Managed,
  latestVersionId: nullable(Id),
  activeVersionId: nullable(Id),
  errorWorkflowId: ErrorWorkflow,
  createdAt: Time,
  updatedAt: Time,
};

/** A workflow in a list: no definition. */
export const WorkflowEntry = Type.Object(WorkflowFields);

/** A schedule trigger of the active version, or of the latest while none was ever active. */
export const WorkflowSchedule = Type.Object({
  nodeId: Type.String(),
  cron: Type.String(),
  timezone: Type.String(),
  catchUp: Type.Boolean(),
  /** Null while the workflow is not active. */
  nextFireAt: nullable(Time),
  /** The last time that was due and led to a run, and that run. */
  lastFireAt: nullable(Time),
  lastExecutionId: nullable(Id),
  /** Code of the limit that holds the run of the next time back. */
  blockedBy: nullable(Type.String()),
  /** Since when it is paused; null while it is not. */
  pausedAt: nullable(Time),
});

/** A workflow with its latest definition, the URLs of its webhook triggers and the times of its schedules. */
export const Workflow = Type.Object({
  ...WorkflowFields,
  webhooks: Type.Array(Type.Object({ nodeId: Type.String(), url: Type.String(), method: Type.String() })),
  schedules: Type.Array(WorkflowSchedule),
  draftUpdatedAt: nullable(Time, { description: 'When its draft was saved; null without a draft' }),
  hasImportReport: Type.Boolean({ description: 'Whether it was imported, and nobody has dismissed the report yet' }),
  definition: nullable(Definition),
});

/** A part of a saved definition that may be unintended. */
const Warning = Type.Object({
  code: oneOf(WARNING_CODES, { description: 'For programs; /docs/warnings of the instance explains each code' }),
  path: Type.String({ description: 'The part, such as `definition.nodes[2].timeoutSeconds`' }),
  nodeId: Type.Optional(Type.String({ description: 'The node that the part is in' })),
  message: Type.String({ description: 'A sentence about this part. It never contains a secret' }),
  remedy: Type.String({ description: 'What to do about it' }),
  page: Type.String({ description: 'The section of the documentation about the code, on the same instance' }),
});

/** The warnings about a definition. */
export const Warnings = Type.Array(Warning, {
  description:
    'Parts of the definition that are valid and may be unintended, at most 100; if there are more, the last one has the code `MORE_WARNINGS`',
});

/** A workflow that was created, with the warnings about its first version. */
export const CreatedWorkflow = Type.Object({ ...Workflow.properties, warnings: Warnings });

/** A workflow as it was applied. */
export const AppliedWorkflow = Type.Object({
  ...Workflow.properties,
  isNew: Type.Boolean({ description: 'It was created' }),
  savedVersionId: nullable(Id, { description: 'The version that was saved; null if the latest one was the same' }),
  warnings: Warnings,
});

/** A duplicate of a workflow, with what in it is not as in the original. */
export const DuplicatedWorkflow = Type.Object({
  ...Workflow.properties,
  warnings: Type.Array(Warning, {
    description: 'Differences between the first version and the original, and warnings',
  }),
});

/** Body of POST /api/workflows/import/n8n. */
export const ImportN8nBody = Type.Object(
  {
    workspaceId: Id,
    workflow: { ...AnyObject, description: 'The export of a workflow of n8n' },
    name: Type.Optional({ ...Name, description: 'By default the name that it has in n8n' }),
    folderId: Type.Optional(nullable(Id)),
  },
  CLOSED,
);

/** What became of a node of an imported workflow. */
export const ImportNote = Type.Object({
  node: Type.String({ description: 'The name of the node in n8n' }),
  type: Type.String({ description: 'The type of the node in n8n' }),
  level: oneOf(['converted', 'review', 'manual'], {
    description:
      '`converted`: does the same; `review`: does the same apart from the messages; `manual`: is a stub that fails, and has the original in its script',
  }),
  nodeIds: Type.Array(Type.String(), { description: 'The nodes that it became' }),
  messages: Type.Array(Type.String()),
});

/** What people have to do with imported nodes, for one cause. */
export const ImportTask = Type.Object({
  level: oneOf(['review', 'manual']),
  message: Type.String({ description: 'That of the notes; quoted names that differ are "…"' }),
  nodes: Type.Array(Type.String(), { description: 'The names of the nodes in n8n' }),
});

const ImportReport = {
  notes: Type.Array(ImportNote, { description: 'One for each node' }),
  tasks: Type.Array(ImportTask, {
    description:
      'What people have to do, each cause once: stubs first, then what differs, and at last what follows from stubs',
  }),
  remarks: Type.Array(Type.String(), { description: 'What concerns the workflow as a whole' }),
};

/** A workflow that was imported as a draft. */
export const ImportedWorkflow = Type.Object({ ...CreatedWorkflow.properties, ...ImportReport });

/** What an import would create, with dryRun=true. */
export const ImportPreview = Type.Object({ name: Type.String(), definition: Definition, ...ImportReport });

const ImportReportNode = {
  name: Type.String({ description: 'Its name in n8n' }),
  nodeIds: Type.Array(Type.String(), { description: 'The nodes that it became; empty if it only passes its input on' }),
};

/** A task of a report that is kept with its workflow. */
const KeptTask = Type.Object({ ...ImportTask.properties, nodes: Type.Array(Type.Object(ImportReportNode)) });

/** What is kept of an import. */
export const KeptImportReport = Type.Object({
  counts: Type.Object(
    { converted: Type.Integer(), review: Type.Integer(), manual: Type.Integer() },
    { description: 'How many nodes of n8n have each level' },
  ),
  tasks: Type.Array(KeptTask),
  omittedTasks: Type.Integer({ description: 'Further tasks, for which there was no room' }),
  remarks: ImportReport.remarks,
});

/** The report of an import, as far as its tasks were done since. */
export const WorkflowImportReport = Type.Object({
  importedAt: Time,
  ...KeptImportReport.properties,
  tasks: Type.Array(
    Type.Object({
      ...ImportTask.properties,
      nodes: Type.Array(
        Type.Object({
          ...ImportReportNode,
          done: Type.Boolean({
            description:
              'Whether the latest version has another node in place of the stub, or does not have it any more',
          }),
        }),
      ),
      done: Type.Boolean({ description: 'Whether that is so of all its nodes' }),
    }),
    {
      description:
        'What people have to do, each cause once: stubs first, then what differs, and then what follows from stubs',
    },
  ),
});

/** Query of what can be checked without being done. */
export const DryRunQuery = Type.Object({
  dryRun: Type.Boolean({ default: false, description: 'Check everything and save nothing' }),
});

/** The definition could be saved unchanged. */
export const DryRunResponse = Type.Object({ valid: Type.Literal(true), warnings: Warnings });

export const SavedVersion = Type.Object({
  workflowVersionId: Id,
  number: Type.Integer(),
  createdAt: Time,
  warnings: Warnings,
});

export const VersionEntry = Type.Object({
  workflowVersionId: Id,
  number: Type.Integer(),
  comment: Type.String(),
  createdBy: nullable(Id),
  createdByUser: KnownPerson,
  createdAt: Time,
});

export const Version = Type.Object({
  workflowVersionId: Id,
  number: Type.Integer(),
  comment: Type.String(),
  createdBy: nullable(Id),
  createdByUser: KnownPerson,
  createdAt: Time,
  definition: Definition,
});

/** Query of GET /api/workflows/{id}/activations. */
export const ListActivationsQuery = Type.Object({
  ...pageQuery(),
  cursor: Type.Optional(Type.String({ format: 'uuid', description: 'The `nextCursor` of the previous page' })),
});

/** A change of a workflow's status or of its active version. */
export const ActivationEntry = Type.Object({
  id: Id,
  at: Time,
  status: oneOf(WORKFLOW_STATUSES),
  previousStatus: oneOf(WORKFLOW_STATUSES),
  activeVersionId: nullable(Id),
  activeVersionNumber: nullable(Type.Integer()),
  previousActiveVersionId: nullable(Id, { description: 'null if no version was ever active' }),
  previousActiveVersionNumber: nullable(Type.Integer()),
  by: nullable(Id),
  byUser: KnownPerson,
  apiKeyId: nullable(Id, { description: 'The API key that was used; null for a session' }),
  apiKeyName: nullable(Type.String()),
});

export const ActivationPage = Type.Object({
  ...pageOf(ActivationEntry).properties,
  nextCursor: nullable(Type.String({ description: 'The `cursor` of the next page; null on the last' })),
});

export type ListActivationsQuery = Static<typeof ListActivationsQuery>;
export type ActivationEntry = Static<typeof ActivationEntry>;
export type CreateWorkflowBody = Static<typeof CreateWorkflowBody>;
export type ApplyWorkflowBody = Static<typeof ApplyWorkflowBody>;
export type UpdateWorkflowBody = Static<typeof UpdateWorkflowBody>;
export type SaveVersionBody = Static<typeof SaveVersionBody>;
export type ListWorkflowsQuery = Static<typeof ListWorkflowsQuery>;
export type WorkflowEntry = Static<typeof WorkflowEntry>;
export type Workflow = Static<typeof Workflow>;
export type WorkflowSchedule = Static<typeof WorkflowSchedule>;
export type CreatedWorkflow = Static<typeof CreatedWorkflow>;
export type ImportN8nBody = Static<typeof ImportN8nBody>;
export type KeptImportReport = Static<typeof KeptImportReport>;
export type WorkflowImportReport = Static<typeof WorkflowImportReport>;
export type ImportedWorkflow = Static<typeof ImportedWorkflow>;
export type SavedVersion = Static<typeof SavedVersion>;
export type VersionEntry = Static<typeof VersionEntry>;
export type Version = Static<typeof Version>;
