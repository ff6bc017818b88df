import {
  type Definition,
  type EdgeDefinition,
  type JsonObject,
  MAX_NOTES,
  MAX_TIMEOUT_SECONDS,
  type NodeDefinition,
  type NoteDefinition,
} from '@deckhand/contracts';
import type { Scope } from './expressions/scope.ts';
import { type Attachments, findAttachments } from './attachments.ts';
import { withGates } from './gates.ts';
import { analyze, areExclusive, commonRoute, type Graph, type Route } from './graph.ts';
import { uniqueIds } from './ids.ts';
import type { Conversion, Converted, Output } from './nodes/converter.ts';
import { afterLoop, loopNode } from './nodes/loop.ts';
import { converterOf, isTrigger, shortType } from './nodes/registry.ts';
import { asList, firstItem, optional, type Source } from './source.ts';
import { isWholeSticky, toSticky } from './sticky-note.ts';
import { stubOf } from './stub.ts';
import { afterStub, type ImportLevel, type ImportNote, partOf } from './tasks.ts';
import { withOptions } from './options.ts';
import { unsupported, UnsupportedError } from './unsupported.ts';
import { isList, type N8nConnection, type N8nNode, type N8nWorkflow, text } from './workflow.ts';

/** A converted workflow. */
export interface ConvertedWorkflow {
  readonly definition: Definition;
  readonly notes: readonly ImportNote[];
  /** The data of the outputs of each node, by its name in n8n: for tests that compare it with that of n8n. */
  readonly outputs: ReadonlyMap<string, readonly Output[]>;
}

/** Nodes that are only text on the canvas. */
const STICKY_NOTE = 'stickyNote';

/**
 * Converts a workflow, node by node. A node that cannot be converted becomes a stub that fails.
 * @param refused nodes that must become stubs, with the reason.
 */
export function* convertInSteps(
  workflow: N8nWorkflow,
  refused: ReadonlyMap<string, string>,
): Generator<undefined, ConvertedWorkflow> {
  return yield* new WorkflowConversion(workflow, refused).convertInSteps();
}

/** In routes, what names the trigger that started the run. */
const STARTED_BY = '';
/** Triggers that other workflows start in n8n, the one that is called most first. */
const CALLED = ['executeWorkflowTrigger', 'errorTrigger'];
/** Maximum number of connections into a node. */
const MAX_INCOMING = 100;
/** Maximum size of the parameters of a node that is converted, as JSON: some conversions take long for many of them. */
const MAX_PARAMETERS = 65_536;
/** Maximum size of what a node becomes, as JSON: expressions here can be many times as long as those of n8n. */
const MAX_CONVERTED = 500_000;
/** Maximum size of what all nodes become; a request for a definition may have as much. */
const MAX_CONVERTED_IN_ALL = 10_485_760;

/** What is known of a node that was converted. */
interface Done {
  readonly outputs: readonly Output[];
  readonly route: Route;
  /** The nodes that lead to it. */
  readonly before: ReadonlySet<string>;
}

class WorkflowConversion {
  readonly #workflow: N8nWorkflow;
  readonly #refused: ReadonlyMap<string, string>;
  readonly #graph: Graph;
  readonly #attachments: Attachments;
  readonly #idOf: (name: string) => string;
  readonly #variables = new Map<string, string>();
  readonly #done = new Map<string, Done>();
  readonly #nodes: NodeDefinition[] = [];
  readonly #edges: EdgeDefinition[] = [];
  readonly #notes: ImportNote[] = [];
  readonly #stickies: NoteDefinition[] = [];
  #converted = 0;

  constructor(workflow: N8nWorkflow, refused: ReadonlyMap<string, string>) {
    this.#workflow = workflow;
    this.#refused = refused;
    this.#graph = analyze(workflow);
    this.#attachments = findAttachments(workflow);
    this.#idOf = uniqueIds([...workflow.nodes.map(({ name }) => name), '']);
  }

  *convertInSteps(): Generator<undefined, ConvertedWorkflow> {
    for (const node of this.#graph.order) {
      this.#convertNode(node);
      yield;
    }
    this.#returnLast();
    // A definition needs a trigger. As in n8n, nodes that it does not lead to never run.
    if (!this.#nodes.some(({ type }) => type.startsWith('trigger.'))) {
      this.#nodes.push({ id: this.#idOf(''), type: 'trigger.manual', name: 'No trigger in n8n' });
    }
    const seconds = this.#workflow.settings.executionTimeout;
    const settings =
      typeof seconds === 'number' && seconds > 0
        ? { timeoutSeconds: Math.min(seconds, MAX_TIMEOUT_SECONDS) }
        : undefined;
    return {
      definition: {
        nodes: this.#withDefaultTrigger(),
        edges: this.#usedEdges(),
        ...(settings && { settings }),
        ...(this.#stickies.length > 0 && { notes: this.#stickies }),
      },
      notes: this.#notes,
      outputs: new Map([...this.#done].map(([name, { outputs }]) => [name, outputs])),
    };
  }

  /**
   * Returns the nodes with the trigger first that starts by default. Starts by other workflows and of error workflows
   * always begin there.
   */
  #withDefaultTrigger(): NodeDefinition[] {
    const names = new Map(this.#notes.flatMap(({ node, nodeIds }) => nodeIds.map((id) => [id, node] as const)));
    const types = new Map(this.#workflow.nodes.map(({ name, type }) => [name, shortType(type)]));
    const isOf = (type: string) => (node: NodeDefinition) =>
      node.type === 'trigger.manual' && node.disabled !== true && types.get(names.get(node.id) ?? '') === type;
    const called = CALLED.map((type) => this.#nodes.find(isOf(type))).find((node) => node !== undefined);
    const nodes = called ? [called, ...this.#nodes.filter((node) => node !== called)] : this.#nodes;
    const manual = nodes.filter(({ type }) => type === 'trigger.manual');
    const first = names.get(nodes.find(({ type }) => type.startsWith('trigger.'))?.id ?? '');
    if (manual.length < 2 || first === undefined) return nodes;
    for (const { id } of manual) {
      this.#amend(
        names.get(id) ?? '',
        `of the triggers, starts that name none begin at "${first}", so all by other workflows and of error workflows`,
      );
    }
    return nodes;
  }

  /**
   * Returns the edges without those of nodes that never run to others that do: such a node is outside of the body of a
   * loop, into which no edge may lead from there.
   */
  #usedEdges(): EdgeDefinition[] {
    const targets = Map.groupBy(this.#edges, ({ source }) => source);
    const reached = new Set(this.#nodes.filter(({ type }) => type.startsWith('trigger.')).map(({ id }) => id));
    for (const id of reached) for (const { target } of targets.get(id) ?? []) reached.add(target);
    return this.#edges.filter(({ source, target }) => reached.has(source) || !reached.has(target));
  }

  #convertNode(node: N8nNode): void {
    const { name, type } = node;
    if (shortType(type) === STICKY_NOTE) {
      this.#keepSticky(node);
      return;
    }
    const owner = this.#attachments.ownerOf(name);
    if (owner !== undefined) {
      this.#note(node, 'manual', [], [partOf(owner)]);
      return;
    }
    const reviews = new Set<string>();
    const incoming = this.#graph.into(name);
    const id = this.#idOf(name);
    const before = new Set(incoming.flatMap(({ source }) => [source, ...(this.#done.get(source)?.before ?? [])]));
    const route = isTrigger(type)
      ? new Map([[STARTED_BY, id]])
      : commonRoute(incoming.map((each) => this.#routeOf(each)));
    let converted: Converted;
    let level: ImportLevel = 'converted';
    try {
      converted = this.#tryNode(node, { id, incoming, before, route, review: (message) => reviews.add(message) });
    } catch (error) {
      const reason = reasonOf(error);
      reviews.clear();
      reviews.add(reason);
      converted = this.#stub(node, id, reason, (message) => reviews.add(message));
      level = 'manual';
    }
    const entry = converted.nodes[0]?.id ?? id;
    this.#nodes.push(...converted.nodes.map((each, index) => place(each, node, index)));
    this.#edges.push(...unique(incoming.flatMap((each) => this.#edgeTo(entry, each))), ...converted.edges);
    this.#done.set(name, { outputs: converted.outputs, route, before });
    this.#noteLoops(name);
    const strays = this.#graph.stray.filter(({ source }) => source === name);
    const messages = [
      ...reviews,
      ...strays.map(({ target }) => `its way to "${target}" is left out, because it leads into the body of a loop`),
      ...remarksOn(node),
    ];
    const neverRuns = incoming.length === 0 && !isTrigger(type);
    const isReviewed = neverRuns || (level === 'converted' && messages.length > 0);
    const ids = converted.nodes.map((each) => each.id);
    this.#note(node, isReviewed ? 'review' : level, ids, messages);
  }

  #keepSticky(node: N8nNode): void {
    const isRoom = this.#stickies.length < MAX_NOTES;
    if (isRoom) this.#stickies.push(toSticky(node, `note${this.#stickies.length + 1}`));
    // What is not on the canvas is in the report.
    const isKept = isRoom && isWholeSticky(node);
    const messages = isKept ? [] : [`a note on the canvas: ${text(node.parameters.content) ?? ''}`];
    this.#note(node, isKept ? 'converted' : 'review', [], messages);
  }

  #tryNode(
    node: N8nNode,
    {
      id,
      incoming,
      before,
      route,
      review,
    }: {
      id: string;
      incoming: readonly N8nConnection[];
      before: ReadonlySet<string>;
      route: Route;
      review: (message: string) => void;
    },
  ): Converted {
    const { name, type, parameters } = node;
    const reason = this.#refused.get(name);
    if (reason !== undefined) return unsupported(reason);
    if (JSON.stringify(parameters).length > MAX_PARAMETERS) {
      return unsupported(`its parameters have more than ${MAX_PARAMETERS} characters`);
    }
    if (this.#graph.cyclic.has(name)) return unsupported('it is in a cycle: use Loop Over Items');
    const stray = this.#graph.stray.find(({ target }) => target === name);
    if (stray) return unsupported(`"${stray.source}" leads to it from outside the body of its loop, which is left out`);
    if (incoming.length > MAX_INCOMING) return unsupported(`more than ${MAX_INCOMING} connections lead to it`);
    if (this.#attachments.of(name).length > 0) return unsupported('a node with models, tools or memories');
    const trigger = isTrigger(type);
    if (!trigger && incoming.length === 0)
      return unsupported('no node leads to it, so it never runs; a stub keeps the original');
    const joins = ['merge', 'compareDatasets'].includes(shortType(type));
    const inputs = trigger ? [] : this.#inputsOf(incoming, joins ? mergeInputs(parameters) : 1, joins);
    for (const { guess } of inputs) {
      if (guess !== undefined) review(afterStub(guess));
    }
    const given: Source = inputs[0] ?? { text: '{}', shape: 'one' };
    const input: Source =
      node.original.executeOnce === true && given.shape === 'list' ? { text: firstItem(given), shape: 'one' } : given;
    const dataOf = (other: string): Source | undefined => this.#dataOf(other, name, before, route);
    const scope: Scope = {
      item: firstItem(input),
      index: '0',
      input,
      nodeNamed: (other) => dataOf(other) ?? unsupported(`the node "${other}", which does not always run before`),
      workflowName: this.#workflow.name,
      timezone: timezoneOf(this.#workflow.settings),
      review,
    };
    const forward = new Set(this.#graph.outOf(name).map(({ output }) => output));
    const back = this.#graph.back.filter(({ source }) => source === name).map(({ output }) => output);
    const conversion: Conversion = {
      node,
      parameters,
      id,
      inputs,
      hasAllInputs: incoming.every((each) => this.#routeOf(each).size === route.size),
      input,
      scope,
      scopeOfEach: { ...scope, item: 'item', index: 'index' },
      connected: new Set([...forward, ...back]),
      hasResponder: this.#workflow.nodes.some((each) => shortType(each.type) === 'respondToWebhook'),
      isInLoop: [...this.#graph.loops.values()].some(({ members }) => members.has(name)),
      workflowName: this.#workflow.name,
      variables: this.#variables,
      review,
      dataOf,
    };
    const body = this.#graph.loops.get(name);
    if (body?.members.size === 0) return unsupported('a loop without a body');
    const convert = body ? (each: Conversion) => loopNode(each, body.output) : converterOf(type);
    if (!convert) return unsupported(`there is no such node here: ${shortType(type)}`);
    return this.#bounded(withGates(withOptions(convert(conversion), node, input, review), node, forward));
  }

  #bounded(converted: Converted): Converted {
    const size = JSON.stringify(converted.nodes).length;
    if (size > MAX_CONVERTED || this.#converted + size > MAX_CONVERTED_IN_ALL) {
      return unsupported('it would become too long here');
    }
    this.#converted += size;
    return converted;
  }

  /** Returns the data of each input. */
  #inputsOf(incoming: readonly N8nConnection[], count: number, joins: boolean): Source[] {
    const beyond = incoming.find(({ input }) => input >= count);
    if (beyond) return unsupported(`"${beyond.source}" leads to its input ${beyond.input + 1}, which does not exist`);
    return Array.from({ length: count }, (_, index): Source => {
      const ways = incoming.filter(({ input }) => input === index);
      const sources = ways.map((each) => this.#outputOf(each));
      const [first, ...others] = sources;
      if (!first) return unsupported(`nothing leads to its input ${index + 1}`);
      const routes = ways.map((each) => this.#routeOf(each));
      const isExclusive = routes.every((one, n) => routes.slice(n + 1).every((other) => areExclusive(one, other)));
      if (!isExclusive) return unsupported('n8n runs it once for each of several branches, here it would run once');
      if (others.some(({ shape }) => shape !== first.shape)) return unsupported('branches with one item and with many');
      const texts = [...new Set(sources.map(({ text: each }) => each))];
      // A branch that was not taken has no data.
      if (texts.length === 1 && !joins) return first;
      const guess = sources.find((each) => each.guess !== undefined)?.guess;
      const text = `(${texts.map(optional).join(' ?? ')})`;
      return { text, shape: first.shape, ...(guess !== undefined && { guess }) };
    });
  }

  #outputOf({ source, output }: N8nConnection): Source {
    const found = this.#done.get(source)?.outputs[output];
    if (!found) return unsupported(`"${source}" has no output ${output + 1} here`);
    return found.problem === undefined ? found.source : unsupported(found.problem);
  }

  /** Which ways a run took if it comes by a connection. */
  #routeOf({ source, output }: N8nConnection): Route {
    const done = this.#done.get(source);
    const found = done?.outputs[output];
    const route = new Map(done?.route);
    if (found?.handle !== undefined && found.handle !== 'done') route.set(found.nodeId, found.handle);
    return route;
  }

  #edgeTo(target: string, { source, output }: N8nConnection): EdgeDefinition[] {
    const found = this.#done.get(source)?.outputs[output];
    if (!found) return [];
    return [{ source: found.nodeId, target, ...(found.handle !== undefined && { sourceHandle: found.handle }) }];
  }

  /** Returns the data of a node that always ran before another, if it can be read there. */
  #dataOf(name: string, from: string, before: ReadonlySet<string>, route: Route): Source | undefined {
    const done = this.#done.get(name);
    if (!done || !before.has(name)) return undefined;
    if ([...done.route].some(([id, handle]) => route.get(id) !== handle)) return undefined;
    const body = this.#graph.loops.get(name);
    const inside = body?.members.has(from) === true;
    const output = done.outputs.find(({ handle }) => !inside || handle === 'body');
    if (!output || output.problem !== undefined) return undefined;
    const loopOf = (each: string) =>
      [...this.#graph.loops].filter(([, { members }]) => members.has(each)).map(([loop]) => loop);
    const around = loopOf(from);
    // What is in a loop can be read in its body alone, and `$loop` is the innermost.
    if (loopOf(name).some((loop) => !around.includes(loop))) return undefined;
    const loopsAround = inside ? [...loopOf(name), name] : loopOf(name);
    if (output.source.text.includes('$loop') && loopsAround.length !== around.length) return undefined;
    return output.source;
  }

  #stub(node: N8nNode, id: string, reason: string, review: (message: string) => void): Converted {
    const count = Math.max(1, ...this.#graph.outOf(node.name).map(({ output }) => output + 1));
    const { node: stub, missing } = stubOf(id, node.original, reason, this.#attachments.of(node.name));
    if (missing > 0) review(`the original is too long for the stub: keep it elsewhere, ${missing} characters are cut`);
    const outputs = Array.from({ length: count }, (): Output => ({
      nodeId: id,
      source: { text: `$nodes.${id}.output`, shape: 'one', guess: node.name },
    }));
    if (!isTrigger(node.type)) return { nodes: [stub], edges: [], outputs };
    // A run needs a trigger to start from.
    const trigger: NodeDefinition = { id: `${id}_trigger`, type: 'trigger.manual', name: node.name };
    return { nodes: [trigger, stub], edges: [{ source: trigger.id, target: id }], outputs };
  }

  /** Once the body of a loop is converted, what the loop returns is known. */
  #noteLoops(last: string): void {
    for (const [name, { members, output }] of this.#graph.loops) {
      const loop = this.#done.get(name);
      const isComplete = members.has(last) && [...members].every((each) => this.#done.has(each));
      if (!isComplete || !loop || loop.outputs.length < 2) continue;
      const ends = [...members].filter((each) => !this.#graph.outOf(each).some(({ target }) => members.has(target)));
      const ways = this.#graph.back.filter(({ target }) => target === name);
      const [way] = ways;
      const isSingle = ways.length === 1 && ends.length === 1 && way?.source === ends[0];
      const end = isSingle && way ? this.#done.get(way.source)?.outputs[way.output] : undefined;
      const endsEarly = [...members].some((each) => this.#mayEndAt(each));
      if (endsEarly) {
        this.#amend(name, 'if an iteration returns no items, n8n ends the loop and the run there; here it goes on');
      }
      const outputs = loop.outputs.map((each, index) => {
        if (index === output) return each;
        const problem = 'what a loop returns in which an iteration may return no items, where n8n ends the run';
        return endsEarly ? { ...each, problem } : afterLoop(each, end);
      });
      this.#done.set(name, { ...loop, outputs });
    }
  }

  /** Returns whether items may get no further than a node, although it leads on. */
  #mayEndAt(name: string): boolean {
    const leading = [...this.#graph.outOf(name), ...this.#graph.back.filter(({ source }) => source === name)];
    const connected = new Set(leading.map(({ output }) => output));
    const outputs = this.#done.get(name)?.outputs ?? [];
    return connected.size > 0 && outputs.some(({ mayBeEmpty }, index) => mayBeEmpty === true || !connected.has(index));
  }

  /** Triggers whose run returns the data of the last node get a Terminal node after it. */
  #returnLast(): void {
    const ended = new Set<string>();
    for (const { name, type, parameters } of this.#workflow.nodes) {
      const isCalled = shortType(type) === 'executeWorkflowTrigger';
      if (!isCalled && (shortType(type) !== 'webhook' || parameters.responseMode !== 'lastNode')) continue;
      const leaves = [...this.#done].filter(
        ([each, { before }]) => before.has(name) && this.#graph.outOf(each).length === 0,
      );
      const [leaf] = leaves;
      const output = leaf?.[1].outputs[0];
      const isKnown = leaves.length === 1 && output?.problem === undefined && !ended.has(leaf?.[0] ?? '');
      if (!leaf || !isKnown || !output || output.source.text.includes('$loop')) {
        const what = isCalled ? 'the run returns the items of the last node' : 'the response is that of the last node';
        this.#amend(name, `${what} in n8n: add a Terminal node`);
        continue;
      }
      ended.add(leaf[0]);
      const id = `${this.#idOf(name)}_response`;
      const body = `{{ ${isCalled ? asList(output.source) : firstItem(output.source)} }}`;
      this.#nodes.push({ id, type: 'terminal', name: `${name}: response`, parameters: { body } });
      this.#edges.push({
        source: output.nodeId,
        target: id,
        ...(output.handle !== undefined && { sourceHandle: output.handle }),
      });
    }
  }

  #amend(name: string, message: string): void {
    const index = this.#notes.findIndex(({ node }) => node === name);
    const note = this.#notes[index];
    if (!note) return;
    const level = note.level === 'converted' ? 'review' : note.level;
    this.#notes[index] = { ...note, level, messages: [...note.messages, message] };
  }

  #note(node: N8nNode, level: ImportLevel, nodeIds: readonly string[], messages: readonly string[]): void {
    this.#notes.push({ node: node.name, type: node.type, level, nodeIds, messages });
  }
}

/**
 * Returns why a node cannot be converted. What it becomes may be no valid expression, or too deep to be parsed: that
 * concerns this node alone, too.
 */
function reasonOf(error: unknown): string {
  if (error instanceof UnsupportedError) return error.message;
  if (error instanceof SyntaxError || error instanceof RangeError) {
    return `it would become an expression that is not valid here: ${error.message}`;
  }
  throw error;
}

function timezoneOf({ timezone }: JsonObject): string | undefined {
  return typeof timezone === 'string' && timezone !== '' && timezone !== 'DEFAULT' ? timezone : undefined;
}

function mergeInputs({ numberInputs }: JsonObject): number {
  // n8n has at most ten.
  return typeof numberInputs === 'number' ? Math.min(Math.max(numberInputs, 2), 10) : 2;
}

function unique(edges: readonly EdgeDefinition[]): EdgeDefinition[] {
  return [...new Map(edges.map((edge) => [JSON.stringify(edge), edge])).values()];
}

/** What n8n knows about a node and has no place here. */
function remarksOn({ original }: N8nNode): string[] {
  const note = text(original.notes);
  return [...(note === undefined ? [] : [`has a note: ${note}`])];
}

/** Nodes are where they were, further ones below. */
function place(node: NodeDefinition, { original }: N8nNode, index: number): NodeDefinition {
  const [x, y] = isList(original.position) ? original.position : [];
  if (typeof x !== 'number' || typeof y !== 'number') return node;
  return { ...node, name: node.name?.slice(0, 200), position: { x, y: y + index * 110 } };
}
