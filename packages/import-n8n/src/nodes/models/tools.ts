import type { EdgeDefinition, JsonObject, NodeDefinition } from '@deckhand/contracts';
import { convertText, escapeTexts } from '../../expressions/template.ts';
import { withOptions } from '../../options.ts';
import { stubOf } from '../../stub.ts';
import { partOf } from '../../tasks.ts';
import { reasonOf, unsupported } from '../../unsupported.ts';
import { lookup, type N8nNode, show, text } from '../../workflow.ts';
import type { Conversion } from '../converter.ts';
import type { Body } from '../each-in-loop.ts';
import { argumentsOf } from './arguments.ts';
import { withoutPackage } from './chat-model.ts';
import { codeTool, thinkTool, type Tool, workflowTool } from './own-tools.ts';

/** The tools of an agent, in its body. */
export interface Tools extends Body {
  /** What the model is told about them. */
  readonly specs: readonly JsonObject[];
}

/** The arguments of the call of a tool. */
const ARGUMENTS = '$loop.item';
/** Maximum number of tools of an agent. */
const MAX_TOOLS = 100;
/** Maximum size of the parameters of a tool, as JSON. */
const MAX_PARAMETERS = 65_536;
/** Longest description of a tool, in characters. */
const MAX_DESCRIPTION = 4_000;
/** Node types in which `$loop` would be another one than that of the call. */
const REPEATING = new Set(['loop', 'agent']);

/** The first version of the agent that runs tools as nodes of their own, whose items have the arguments, too. */
const WITH_TOOL_NODES = 3;

/** Tools of n8n's package for language models. */
const OWN: Readonly<Record<string, (conversion: Conversion, isNode: boolean) => Tool>> = {
  toolCode: codeTool,
  toolThink: thinkTool,
  toolWorkflow: workflowTool,
};

/** Converts the tools of an agent. One that cannot be converted is a stub, whose calls fail. */
export function convertTools(conversion: Conversion): Tools {
  const { parts, review } = conversion;
  const given = parts.filter(({ kind }) => kind === 'ai_tool');
  if (given.length > MAX_TOOLS) return unsupported(`more than ${MAX_TOOLS} tools`);
  const tools = given.map(({ node }) => convertTool(conversion, node));
  const stubs = tools.flatMap(({ stub }) => stub ?? []);
  review(
    `the model knows its tools by the ids of their nodes, such as "${tools[0]?.entry ?? ''}", and is told in other words why a call failed: read its instructions`,
  );
  review(
    'once the model has read data of the run, a person is asked before it calls a tool with effects; in n8n none is (permission)',
  );
  if (stubs.length > 0) {
    review(`calls of its tools that are stubs fail, of which the model is told: "${stubs.join('", "')}"`);
  }
  return {
    entries: tools.map(({ entry }) => entry),
    nodes: tools.flatMap(({ nodes }) => nodes),
    edges: tools.flatMap(({ edges }) => edges),
    specs: tools.map(({ spec }) => spec),
  };
}

/** A tool in the body of its agent. */
interface Placed {
  readonly entry: string;
  readonly nodes: readonly NodeDefinition[];
  readonly edges: readonly EdgeDefinition[];
  readonly spec: JsonObject;
  /** Its name, if it is a stub. */
  readonly stub?: string;
}

function convertTool(agent: Conversion, node: N8nNode): Placed {
  const id = agent.idOfPart(node.name);
  const messages = new Set<string>();
  try {
    const tool = toolOf(agent, node, id, (message) => messages.add(message));
    const placed = placedTool(tool, id, node.name);
    agent.notePart(node.name, { isStub: false, nodeIds: placed.nodes.map((each) => each.id), messages: [...messages] });
    return placed;
  } catch (error) {
    const reason = reasonOf(error);
    const attached = partsBelow(agent, node.name);
    const { node: stub } = stubOf(
      id,
      node.original,
      reason,
      attached.map(({ original }) => original),
    );
    agent.notePart(node.name, { isStub: true, nodeIds: [id], messages: [reason] });
    for (const { name } of attached) agent.notePart(name, { isStub: true, nodeIds: [], messages: [partOf(node.name)] });
    return {
      entry: id,
      nodes: [stub],
      edges: [],
      spec: { node: id, description: escapeTexts(node.name) },
      stub: node.name,
    };
  }
}

/** Returns the nodes that are part of a part. */
function partsBelow({ attachedTo }: Conversion, name: string): readonly N8nNode[] {
  const found = new Map<string, N8nNode>();
  const names = new Set([name]);
  // A set that grows while it is iterated over yields what is added.
  for (const each of names) {
    for (const { node } of attachedTo(each)) {
      if (node.name !== name) found.set(node.name, node);
      names.add(node.name);
    }
  }
  return [...found.values()];
}

function toolOf(agent: Conversion, given: N8nNode, id: string, review: (message: string) => void): Tool {
  const { scope } = agent;
  const refused = agent.refusedBecause(given.name);
  if (refused !== undefined) return unsupported(refused);
  if (agent.attachedTo(given.name).length > 0) return unsupported('a tool with models, tools or memories of its own');
  if (given.original.retryOnFail === true && lookup(OWN, withoutPackage(given.type)))
    review('it is not tried again here');
  if (JSON.stringify(given.parameters).length > MAX_PARAMETERS) {
    return unsupported(`its parameters have more than ${MAX_PARAMETERS} characters`);
  }
  const own = lookup(OWN, withoutPackage(given.type));
  const type = own ? given.type : nodeTypeOf(given.type);
  const { toolDescription: _, descriptionType: __, ...parameters } = given.parameters;
  const node: N8nNode = { ...given, type, parameters };
  const { scripted: ___, ...plain } = scope;
  const isNode = agent.node.version >= WITH_TOOL_NODES;
  const item = isNode ? `({ ...${scope.item}, ...${ARGUMENTS} })` : scope.item;
  const inTool = {
    ...plain,
    item,
    review,
    argumentNamed: (name: string) => `${ARGUMENTS}[${JSON.stringify(name)}]`,
    nodeNamed(name: string) {
      const source = scope.nodeNamed(name);
      return source.text.includes('$loop') ? unsupported('the item of a loop around its agent') : source;
    },
  };
  const conversion: Conversion = {
    ...agent,
    ...{ node, parameters, id, review, scope: inTool, scopeOfEach: { ...inTool, item: 'item', index: 'index' } },
    ...{ inputs: [], input: { text: item, shape: 'one' as const }, parts: [], usesPairs: false },
    isTool: true,
    connected: new Set([0]),
  };
  const tool = own ? own(conversion, isNode) : nodeTool(conversion, given);
  const isReadable = !scope.item.includes('$loop') && !(isNode && agent.input.shape === 'list');
  if (!isReadable && JSON.stringify(tool).includes(JSON.stringify(item).slice(1, -1))) {
    return unsupported('the item that its agent works on, one of several');
  }
  if (tool.converted.nodes.some((each) => REPEATING.has(each.type))) return unsupported('a tool that repeats nodes');
  const description = show(tool.description);
  if (description.length > MAX_DESCRIPTION) return unsupported('a description of more than 4,000 characters');
  return tool;
}

/** Returns the type of the node that a tool is. @throws UnsupportedError for a tool that is none. */
function nodeTypeOf(type: string): string {
  if (!type.endsWith('Tool') || type.endsWith('HitlTool') || withoutPackage(type) === 'agentTool') {
    return unsupported(`there is no such tool here: ${withoutPackage(type)}`);
  }
  return type.slice(0, -'Tool'.length);
}

/** Converts a node that a model may call, whose parameters it fills in. */
function nodeTool(conversion: Conversion, { parameters, name }: N8nNode): Tool {
  const { node, converterOf, review, scope } = conversion;
  const convert = converterOf(node.type) ?? unsupported(`there is no such tool here: ${withoutPackage(node.type)}`);
  const inputSchema = argumentsOf(parameters);
  const converted = withOptions(convert(conversion), conversion);
  const [output] = converted.outputs;
  if (!output) return unsupported('a node without an output');
  const given = parameters.descriptionType === 'auto' ? undefined : text(parameters.toolDescription);
  if (given === undefined || given.trim() === '') {
    review('n8n tells the model its resource and operation, here its name: describe it');
  }
  return {
    converted,
    inputSchema,
    description: given === undefined || given.trim() === '' ? escapeTexts(name) : convertText(given, scope),
    told: [`return [${output.source.text}].flat();`],
  };
}

function placedTool({ converted, inputSchema, description, told }: Tool, id: string, name: string): Placed {
  const { nodes, edges, outputs } = converted;
  const [output] = outputs;
  const entry = nodes[0]?.id ?? unsupported('a tool without a node');
  const toldId = `${id}__told`;
  const script = {
    id: toldId,
    type: 'code',
    name: `${name}: what the model is told`,
    parameters: { source: told.join('\n') },
  };
  const from = output?.nodeId ?? entry;
  return {
    entry,
    nodes: [...nodes, script],
    edges: [
      ...edges,
      { source: from, target: toldId, ...(output?.handle !== undefined && { sourceHandle: output.handle }) },
    ],
    spec: { node: entry, description, inputSchema: escapeTexts(inputSchema) },
  };
}
