import {
  type Definition,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NodeDefinition,
} from '@deckhand/contracts';

/** An event that was sent to the workspace. */
const EVENT: JsonObject = { id: '', name: '', key: '', data: {}, receivedAt: '' };

/** The trigger data of each type of trigger, for completion before a first run. */
const TRIGGERS: Readonly<Record<string, JsonObject>> = {
  'trigger.webhook': { body: {}, headers: {}, query: {}, method: 'POST', path: '', timestamp: '' },
  'trigger.event': EVENT,
  'trigger.schedule': { scheduledFor: '', timezone: '', nodeId: '', isCatchUp: false },
};

/** The outputs of types whose members are always the same. */
const OUTPUTS: Readonly<Record<string, JsonObject>> = {
  ...TRIGGERS,
  'wait.event': EVENT,
  http: { status: 200, headers: {}, body: {} },
  approval: { decision: '', approved: true, comment: '', by: '', at: '' },
};

/** Returns the members of `$trigger` that are known without a run: those of all triggers of the workflow. */
export function shapeOfTrigger({ nodes }: Definition): JsonObject {
  return Object.fromEntries(nodes.flatMap(({ type }) => Object.entries(TRIGGERS[type] ?? {})));
}

/** Returns the members of a node's output that are known without a run; undefined if there are none. */
export function shapeOfOutput({ nodes }: Definition, nodeId: string): JsonValue | undefined {
  const node = nodes.find(({ id }) => id === nodeId);
  if (node?.type === 'set') return membersOf(node.parameters?.fields);
  if (node?.type === 'human') return membersOf(propertiesOf(node));
  return node && OUTPUTS[node.type];
}

function propertiesOf({ parameters }: NodeDefinition): JsonValue | undefined {
  const schema = parameters?.schema;
  return schema !== undefined && isJsonObject(schema) ? schema.properties : undefined;
}

function membersOf(fields: JsonValue | undefined): JsonObject | undefined {
  if (fields === undefined || !isJsonObject(fields)) return undefined;
  // The values of expressions are unknown.
  return Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
}
