import {
  type Definition,
  type DefinitionWarning,
  isUuid,
  validationFailed,
  type ValidationIssue,
  warningOf,
} from '@deckhand/contracts';
import {
  type Actor,
  type Database,
  findPlace,
  findVersions,
  type NewVersion,
  type Place,
  readUsableCredentials,
  type UsableCredential,
} from '@deckhand/db';
import { credentialTypesOf, type CredentialLoop, MAX_WARNINGS, type NodeTypes } from '@deckhand/engine';
import { type Compiled, compileIfValid } from '../definitions.ts';
import type { ResourceContext } from '../contexts.ts';
import { findConnectorIssues } from './connector-issues.ts';
import { sealSecretParameters } from './secret-parameters.ts';

/** A version to save, with the warnings about it. */
export interface PreparedVersion {
  readonly version: NewVersion;
  readonly warnings: readonly DefinitionWarning[];
}

/**
 * Prepares a version of a definition for saving: checks its references, and encrypts its secrets. @throws DeckhandError
 * VALIDATION_FAILED.
 */
export async function prepareVersion(
  { definition: checked, warnings, credentialLoops }: Compiled,
  { nodeTypes, secretBox, db, connectors }: Pick<ResourceContext, 'nodeTypes' | 'secretBox' | 'db' | 'connectors'>,
  { actor, place, comment }: { actor: Actor; place: Place; comment: string },
): Promise<PreparedVersion> {
  const credentials = await checkReferences(checked.definition, { nodeTypes, db, connectors, actor, place });
  const sealed = await sealSecretParameters(checked.definition, { nodeTypes, secretBox });
  return {
    version: { ...checked, ...sealed, comment, createdBy: actor.userId },
    warnings: withTraffic(warnings, credentialLoops, credentials),
  };
}

/** Returns the warnings that a version of a draft would have; none while it cannot be saved as one. */
export async function findDraftWarnings(
  draft: unknown,
  { nodeTypes, db }: { nodeTypes: NodeTypes; db: Database },
  { actor, workflowId }: { actor: Actor; workflowId: string },
): Promise<readonly DefinitionWarning[]> {
  const compiled = await compileIfValid(draft, { by: actor.userId, nodeTypes });
  if (!compiled) return [];
  const ids = compiled.credentialLoops.map(({ credentialId }) => credentialId);
  const found = await readUsableCredentials(db, actor, { workflowId }, ids);
  const usable = new Map([...found].filter(([, { refusal }]) => refusal === null));
  return withTraffic(compiled.warnings, compiled.credentialLoops, usable);
}

function withTraffic(
  warnings: readonly DefinitionWarning[],
  loops: readonly CredentialLoop[],
  credentials: Credentials,
): readonly DefinitionWarning[] {
  // The last of too many says that there are more.
  const room = Math.max(0, MAX_WARNINGS - warnings.length);
  return [...warnings, ...trafficWarnings(loops, credentials).slice(0, room)];
}

type Credentials = ReadonlyMap<string, UsableCredential>;

/** Warns of loops with more iterations at the same time than the credential of a node in them sends requests. */
function trafficWarnings(loops: readonly CredentialLoop[], credentials: Credentials): readonly DefinitionWarning[] {
  const found = new Map<string, DefinitionWarning>();
  for (const { loopId, path, concurrency, nodeId, credentialId } of loops) {
    const limit = credentials.get(credentialId)?.rateLimit;
    if (!limit || found.has(loopId) || concurrency <= Math.max(limit.requests, limit.burst ?? 1)) continue;
    const rate = `${limit.requests} ${limit.requests === 1 ? 'request' : 'requests'} per ${limit.per}`;
    const message = `${concurrency} iterations run at the same time, and the credential of "${nodeId}" sends ${rate}: the others wait.`;
    found.set(loopId, warningOf('LOOP_EXCEEDS_RATE_LIMIT', { path: `definition.${path}`, nodeId: loopId, message }));
  }
  return [...found.values()];
}

/** The services for checking a definition. */
interface Surroundings extends Pick<ResourceContext, 'nodeTypes' | 'db' | 'connectors'> {
  /** The person who saves it. */
  readonly actor: Actor;
  readonly place: Place;
}

/**
 * Checks the references of a definition: credentials have to exist in the workspace, have a type that their nodes can
 * use, and be usable by a version which the caller saves; versions of started workflows have to exist, and so do
 * operations of connectors, whose values have to fit.
 * @returns the credentials, all of which the version may use.
 * @throws DeckhandError VALIDATION_FAILED naming each invalid reference.
 */
async function checkReferences(definition: Definition, surroundings: Surroundings): Promise<Credentials> {
  const { nodeTypes, db, connectors, actor, place } = surroundings;
  const ids = definition.nodes.flatMap(({ credentialId }) =>
    credentialId === undefined ? [] : [credentialId.toLowerCase()],
  );
  const known = await readUsableCredentials(db, actor, place, ids);
  const issues = [
    ...findCredentialIssues(definition, known, nodeTypes),
    ...(await findVersionIssues(definition, surroundings)),
    ...(await findIssuesOfConnectors(definition, known, { connectors, db, actor, place })),
  ];
  if (issues.length > 0) throw validationFailed(issues);
  return known;
}

async function findIssuesOfConnectors(
  definition: Definition,
  credentials: Credentials,
  { connectors, db, actor, place }: Omit<Surroundings, 'nodeTypes'>,
): Promise<ValidationIssue[]> {
  if (!definition.nodes.some(({ type }) => type === 'connector')) return [];
  const workspaceId = await findPlace(db, actor, place);
  // A definition without a place is refused later, by what saves it.
  if (workspaceId === undefined) return [];
  const credentialTypes = new Map([...credentials].map(([id, { type }]) => [id, type]));
  return findConnectorIssues(definition, workspaceId, { connectors, credentialTypes });
}

function findCredentialIssues(definition: Definition, known: Credentials, nodeTypes: NodeTypes): ValidationIssue[] {
  return definition.nodes.flatMap((node, index): ValidationIssue[] => {
    const type = nodeTypes.get(node.type);
    if (node.credentialId === undefined || !type) return [];
    const at = { path: `definition.nodes[${index}].credentialId`, nodeId: node.id };
    const found = known.get(node.credentialId.toLowerCase());
    if (!found) return [{ ...at, message: 'is not a credential of this workspace' }];
    if (found.refusal !== null) return [{ ...at, message: REFUSALS[found.refusal] }];
    const usable = credentialTypesOf(node, type);
    if (usable.includes(found.type)) return [];
    return [{ ...at, message: `is a credential of type ${found.type}; this node takes ${usable.join(', ')}` }];
  });
}

const REFUSALS: Readonly<Record<NonNullable<UsableCredential['refusal']>, string>> = {
  private: 'is private to another person, who alone may use it',
  otherWorkflow: 'is for other workflows than this one',
};

/** Versions that are named by id; a version from an expression is only known when its node runs. */
async function findVersionIssues(
  definition: Definition,
  { db, actor, place }: Surroundings,
): Promise<ValidationIssue[]> {
  const named = definition.nodes.flatMap(({ id, type, parameters }, index) => {
    const { workflowId, version } = type === 'workflow' && parameters ? parameters : {};
    if (typeof workflowId !== 'string' || typeof version !== 'string') return [];
    if (!isUuid(workflowId) || !isUuid(version)) return [];
    const path = `definition.nodes[${index}].parameters.version`;
    return [{ path, nodeId: id, workflowId: workflowId.toLowerCase(), version: version.toLowerCase() }];
  });
  const ids = named.map(({ version }) => version);
  const workflowOf = await findVersions(db, actor, place, ids);
  return named.flatMap(({ path, nodeId, workflowId, version }): ValidationIssue[] =>
    workflowOf.get(version) === workflowId ? [] : [{ path, nodeId, message: 'is not a version of that workflow' }],
  );
}
