import { AnyJson, CreateWorkflowBody, DeckhandError, SaveVersionBody, validationFailed } from '@deckhand/contracts';
import Type from 'typebox';
import { describeNodeTypes } from '../../workflows/describe-node-types.ts';
import { storeNewWorkflow, storeVersion, tryNewWorkflow, tryVersion } from '../../workflows/store-workflows.ts';
import { defineTool, json, READS } from '../tool.ts';
import { CLOSED, Uuid, WORKSPACE } from './arguments.ts';

/**
 * A definition. Its schema would be most of the list of tools, and its issues are found by the check of the whole: what
 * it is made of is read from `deckhand_list_node_types`.
 */
const DEFINITION = {
  definition: {
    ...AnyJson,
    type: 'object',
    description: 'The definition: { nodes: [{ id, type, parameters }], edges: [{ source, target }], settings? }',
  },
};
const { name, slug, description } = CreateWorkflowBody.properties;
const { comment, baseVersionId } = SaveVersionBody.properties;

/** Tools for authors of workflows. What they save is a draft: nothing becomes active by them. */
export const authoringTools = [
  defineTool({
    name: 'deckhand_list_node_types',
    title: 'List node types',
    description:
      'Lists the types of nodes that definitions are made of. With `type`, returns that type with the JSON Schema of its parameters.',
    annotations: READS,
    needed: { scope: 'node-types:read' },
    input: Type.Object({ type: Type.Optional(Type.String({ maxLength: 64 })) }, CLOSED),
    async act({ resources }, { type }) {
      const entries = describeNodeTypes(resources.nodeTypes);
      if (type === undefined)
        return json({
          data: entries.map(
            ({ parameters: _, outputSchema: _schema, icon: _icon, summary: _summary, form: _form, ...entry }) => entry,
          ),
        });
      const entry = entries.find((each) => each.type === type);
      if (!entry) throw new DeckhandError('NOT_FOUND', { message: `There is no node type "${type}"` });
      return json(entry);
    },
  }),
  defineTool({
    name: 'deckhand_validate_workflow',
    title: 'Validate a definition',
    description:
      'Checks a definition as saving it would, and saves nothing. With `workflowId`, as the next version of that workflow; otherwise as a new workflow of the workspace. Returns every issue with its path, or the warnings about a valid definition, each with what to do.',
    annotations: READS,
    needed: { scope: 'workflows:write' },
    input: Type.Object({ ...DEFINITION, workflowId: Type.Optional(Uuid), ...WORKSPACE }, CLOSED),
    async act({ resources, caller, workspace }, { definition, workflowId, workspaceId }) {
      if (workflowId !== undefined) {
        return json(await tryVersion(resources, caller, workflowId.toLowerCase(), { definition }));
      }
      const body = { workspaceId: await workspace(workspaceId), name: 'Test', definition };
      return json(await tryNewWorkflow(resources, caller, body));
    },
  }),
  defineTool({
    name: 'deckhand_save_draft',
    title: 'Save a draft',
    description:
      'Saves a definition as the next version of a workflow, or with `name` as a new workflow. The active version stays what it is, and a new workflow is inactive. With `baseVersionId`, it is refused if somebody saved another version since.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    needed: { scope: 'workflows:write' },
    input: Type.Object(
      {
        ...DEFINITION,
        workflowId: Type.Optional({ ...Uuid, description: 'The workflow; without it, a new one is created' }),
        comment,
        baseVersionId,
        name: Type.Optional({ ...name, description: 'The name of a new workflow' }),
        slug,
        description,
        ...WORKSPACE,
      },
      CLOSED,
    ),
    async act({ resources, caller, workspace }, { workflowId, workspaceId, definition, ...rest }) {
      if (workflowId !== undefined) {
        const { comment: note, baseVersionId: base, ...misplaced } = rest;
        refuse(misplaced, 'is for a new workflow: it excludes workflowId');
        return json(
          await storeVersion(resources, caller, workflowId.toLowerCase(), {
            definition,
            ...(note === undefined ? {} : { comment: note }),
            ...(base === undefined ? {} : { baseVersionId: base }),
          }),
        );
      }
      const { comment: _comment, baseVersionId: _base, ...columns } = rest;
      refuse({ comment: rest.comment, baseVersionId: rest.baseVersionId }, 'needs workflowId');
      return json(
        await storeNewWorkflow(resources, caller, {
          workspaceId: await workspace(workspaceId),
          definition,
          ...columns,
        }),
      );
    },
  }),
];

/** @throws DeckhandError VALIDATION_FAILED for arguments that are given and do not fit. */
function refuse(args: Record<string, unknown>, message: string): void {
  const given = Object.keys(args).filter((path) => args[path] !== undefined);
  if (given.length > 0) throw validationFailed(given.map((path) => ({ path, message })));
}
