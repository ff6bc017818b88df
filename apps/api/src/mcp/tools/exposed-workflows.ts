import {
  BUILT_IN_TOOL_PREFIX,
  type InputSchema,
  isJsonObject,
  MAX_TOOL_NAME,
  validationFailed,
} from '@deckhand/contracts';
import { type ActiveTool, listActiveTools } from '@deckhand/db';
import type { KeyCaller } from '../../auth/caller.ts';
import type { StartContext } from '../../contexts.ts';
import { MAX_WAIT_SECONDS } from '../run-outcome.ts';
import type { Tool } from '../tool.ts';
import { STARTS_RUNS } from '../../auth/authenticate.ts';
import { startAndWait } from './start-and-wait.ts';

/** Characters of a workflow's id that tell tools of the same name apart: the last ones, which are random. */
const SUFFIX_LENGTH = 8;

/**
 * Returns the workflows of a workspace that are tools, each with the name that its author chose. If several have the
 * same name, all of them have the end of the workflow's id after it.
 */
export async function listExposedWorkflows(
  { db, checkInput }: Pick<StartContext, 'db' | 'checkInput'>,
  caller: KeyCaller,
  workspaceId: string,
): Promise<Tool[]> {
  const active = await listActiveTools(db, caller, workspaceId);
  const names = uniqueNames(active);
  return active.map((each, index) => {
    const { workflowId, workflowName, workflowDescription, workflowVersionId: version, tool } = each;
    const { settings, inputSchema: schema } = tool;
    const inputSchema = JSON.stringify({ schema } satisfies InputSchema);
    const { name: _name, title = workflowName, description = workflowDescription, ...annotations } = settings;
    return {
      name: names[index] ?? workflowId,
      title,
      description: description === '' ? `Runs the workflow "${workflowName}"` : description,
      annotations,
      input: { type: 'object', ...schema },
      needed: STARTS_RUNS,
      workflowId,
      takesData: true,
      async call(call, args) {
        if (!isJsonObject(args)) throw validationFailed([{ path: '', message: 'must be an object' }]);
        // Also where the trigger does not enforce it for others.
        const { issues, isTruncated } = await checkInput(JSON.stringify(args), {
          ...{ workspaceId, workflowVersionId: version, inputSchema },
          // No node has this id, so that no schema of a trigger is taken for that of the tool.
          triggerNodeId: ' tool',
        });
        if (issues.length > 0) throw validationFailed(issues, isTruncated);
        // The version whose schema was just checked, not one that became active meanwhile.
        const body = { input: args, version };
        return startAndWait(call, workflowId, { body, key: undefined, waitSeconds: MAX_WAIT_SECONDS });
      },
    };
  });
}

/**
 * Returns a name for each tool that no other has. An author may choose one that another workflow would get with its
 * suffix, so names are compared again until they differ. The SDK keeps tools as members of an object, in which those of
 * all objects, such as `constructor`, seem to be taken.
 */
function uniqueNames(active: readonly ActiveTool[]): string[] {
  let names = active.map(nameOf);
  for (;;) {
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const isFree = (name: string): boolean => counts.get(name) === 1 && !(name in {});
    if (names.every(isFree)) return names;
    // The first suffix is short; should two end alike, the next is the whole id.
    names = names.map((name, index) => {
      const id = active[index]?.workflowId ?? '';
      const suffix = `_${id.slice(-SUFFIX_LENGTH)}`;
      return isFree(name) ? name : `${name}${name.endsWith(suffix) ? `_${id}` : suffix}`;
    });
  }
}

function nameOf({ tool, workflowName }: ActiveTool): string {
  return tool.settings.name ?? toToolName(workflowName);
}

/** Returns a name for a tool from that of its workflow: clients accept ASCII letters, digits, _ and - only. */
function toToolName(workflowName: string): string {
  const words = workflowName
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const name = words.join('_');
  const isFree = /^[a-z]/.test(name) && !name.startsWith(BUILT_IN_TOOL_PREFIX);
  return (isFree ? name : `workflow_${name}`).slice(0, MAX_TOOL_NAME).replace(/_+$/, '');
}
