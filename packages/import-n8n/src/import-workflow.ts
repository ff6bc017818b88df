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
import { withFiles } from './files.ts';
import { withGates } from './gates.ts';
import { DataFlow } from './data-flow.ts';
import { analyze, type Graph } from './graph.ts';
import type { Route } from './routes.ts';
import { uniqueIds } from './ids.ts';
import type { Join } from './joins.ts';
import { layOut } from './layout.ts';
import type { Conversion, Converted, Output, PartNote } from './nodes/converter.ts';
import { loopNode } from './nodes/loop.ts';
import { converterOf, isTrigger, takesParts } from './nodes/registry.ts';
import { usesPairs, withPairs } from './pairs.ts';
import { asList, firstItem, optional, type Source } from './source.ts';
import { isWholeSticky, toSticky } from './sticky-note.ts';
import { ScriptedExpressions } from './nodes/scripted-expressions.ts';
import { stubOf } from './stub.ts';
import { afterStub, type ImportLevel, type ImportNote, partOf } from './tasks.ts';
import { passedOn, withOptions } from './options.ts';
import { reasonOf, unsupported } from './unsupported.ts';
import { isList, type N8nConnection, type N8nNode, type N8nWorkflow, shortType, text } from './workflow.ts';

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
  const refusedCycles = new Set(refused.keys());
  const unused = new Set<N8nConnection>();
  for (let pass = 1; ; pass += 1) {
    const conversion = new WorkflowConversion(workflow, { refused, refusedCycles, unused });
    const converted = yield* conversion.convertInSteps();
    const { flow } = conversion;
    const isWhole = flow.refusedCycles.size === 0 && (flow.unused.size === 0 || pass > MAX_PASSES);
    if (isWhole) return converted;
    for (const connection of flow.unused) unused.add(connection);
    const others = pass < MAX_PASSES ? flow.refusedCycles : workflow.nodes.map(({ name }) => name);
    for (const name of others) refusedCycles.add(name);
  }
}

/** How often cycles that turn out to be none of those that can be repeated are left out, before all of them are. */
const MAX_PASSES = 3;

const BRANCHES =
  'it runs for one branch after the other, once all of them are done; n8n goes on with each branch on its own';
/** Triggers that other workflows start in n8n, the one that is called most first. */
const CALLED = ['executeWorkflowTrigger', 'errorTrigger'];
/** Distance of columns in n8n, in px. */
const COLUMN = 220;
/** Maximum size of the parameters of a node that is converted, as JSON: some conversions take long for many of them. */
const MAX_PARAMETERS = 65_536;
/** Maximum size of what a node becomes, as JSON: expressions here can be many times as long as those of n8n. */
const MAX_CONVERTED = 500_000;
/** Maximum size of what all nodes become; a request for a definition may have as much. */
const MAX_CONVERTED_IN_ALL = 10_485_760;

/** What an earlier pass found that cannot be converted. */
interface Refused {
  readonly refused: ReadonlyMap<string, string>;
  readonly refusedCycles: ReadonlySet<string>;
  readonly unused: ReadonlySet<N8nConnection>;
}

class WorkflowConversion {
  readonly #workflow: N8nWorkflow;
  readonly #refused: ReadonlyMap<string, string>;
  readonly #graph: Graph;
  readonly #attachments: Attachments;
  readonly #usesPairs: boolean;
  readonly #idOf: (name: string) => string;
  readonly #variables = new Map<string, string>();
  /** The data of the nodes that were converted. */
  readonly flow: DataFlow;
  /** Connections of outputs that their node does not have, which an earlier pass left out. */
  readonly #left: ReadonlySet<N8nConnection>;
  readonly #nodes: NodeDefinition[] = [];
  readonly #edges: EdgeDefinition[] = [];
  readonly #notes: ImportNote[] = [];
  readonly #stickies: NoteDefinition[] = [];
  /** What became of tools, by their names. */
  readonly #parts = new Map<string, PartNote>();
  /** How often ids of parts were used. */
  readonly #uses = new Map<string, number>();
  #converted = 0;

  constructor(given: N8nWorkflow, { refused, refusedCycles, unused }: Refused) {
    const workflow = { ...given, connections: given.connections.filter((each) => !unused.has(each)) };
    this.#workflow = workflow;
    this.#refused = refused;
    this.#left = unused;
    this.#graph = analyze(workflow, refusedCycles);
    this.#attachments = findAttachments(workflow);
    this.#usesPairs = usesPairs(workflow);
    this.#idOf = uniqueIds([...workflow.nodes.map(({ name }) => name), '']);
    const hasRoom = (nodes: readonly NodeDefinition[]): boolean => this.#hasRoom(nodes);
    this.flow = new DataFlow({ graph: this.#graph, idOf: this.#idOf, hasRoom });
  }

  *convertInSteps(): Generator<undefined, ConvertedWorkflow> {
    for (const node of this.#graph.order) {
      this.#convertNode(node);
      yield;
    }
    this.#noteParts();
    this.#returnLast();
    // A definition needs a trigger. As in n8n, nodes that it does not lead to never run.
    if (!this.#nodes.some(({ type }) => type.startsWith('trigger.'))) {
      const left = this.#nodes.find(({ position }) => position)?.position;
      const position = left && { position: { x: left.x - COLUMN, y: left.y } };
      this.#nodes.push({ id: this.#idOf(''), type: 'trigger.manual', name: 'No trigger in n8n', ...position });
    }
    const seconds = this.#workflow.settings.executionTimeout;
    const settings =
      typeof seconds === 'number' && seconds > 0
        ? { timeoutSeconds: Math.min(seconds, MAX_TIMEOUT_SECONDS) }
        : undefined;
    return {
      definition: yield* layOut({
        nodes: this.#withDefaultTrigger(),
        edges: this.#usedEdges(),
        ...(settings && { settings }),
        ...(this.#stickies.length > 0 && { notes: this.#stickies }),
      }),
      notes: this.#notes,
      outputs: new Map([...this.flow.done].map(([name, { outputs }]) => [name, outputs])),
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
    // What becomes of a part is known once its owners are converted.
    if (this.#attachments.ownersOf(name).length > 0) return;
    const reviews = new Set<string>();
    const incoming = this.#graph.into(name);
    const id = this.#idOf(name);
    const beforeEach = incoming.map(({ source }) => [source, ...(this.flow.done.get(source)?.before ?? [])]);
    const route = this.flow.routeTo(node);
    let before = new Set(beforeEach.flat());
    let join = this.flow.plainJoin(name);
    let converted: Converted;
    let level: ImportLevel = 'converted';
    try {
      join = this.flow.join(node, route);
      if (join.isRepeated) {
        // One branch runs without the others in n8n.
        before = new Set([...before].filter((each) => beforeEach.every((names) => names.includes(each))));
        reviews.add(BRANCHES);
      }
      converted = this.#tryNode(node, { id, join, before, route, review: (message) => reviews.add(message) });
    } catch (error) {
      const reason = reasonOf(error);
      reviews.clear();
      reviews.add(reason);
      if (join.isRepeated) reviews.add(BRANCHES);
      const stub = this.#stub(node, id, reason, (message) => reviews.add(message));
      converted = this.#disabled(node, stub, join, this.flow.hasAll(name, route)) ?? stub;
      level = 'manual';
    }
    const entry = converted.nodes[0]?.id ?? id;
    const between = [...join.nodes];
    this.#edges.push(...unique(join.edgesTo(entry)), ...converted.edges);
    this.#nodes.push(...[...converted.nodes, ...between].map((each, index) => place(each, node, index)));
    const [given] = join.inputs;
    const paired = (each: Output): Output => withFiles(withPairs(each, node, given), node, given);
    this.flow.add(name, { outputs: converted.outputs.map(paired), route, before });
    const beyond = this.flow.beyondInputs(node);
    if (beyond.length > 0 && level !== 'manual') {
      const numbers = [...new Set(beyond.map(({ input }) => input + 1))].toSorted((a, b) => a - b).join(', ');
      reviews.add(`it has no input ${numbers}, so that what comes there is left out, as in n8n`);
    }
    const strays = this.#graph.stray.filter(({ source }) => source === name);
    const unused = [...this.#left].filter(({ source }) => source === name).map(({ output }) => output + 1);
    if (unused.length > 0) {
      const numbers = [...new Set(unused)].toSorted((a, b) => a - b).join(', ');
      reviews.add(`it has no output ${numbers}, so that what is connected there never runs, as in n8n`);
    }
    const messages = [
      ...reviews,
      ...strays.map(({ target }) => `its way to "${target}" is left out, because it leads into the body of a loop`),
      ...remarksOn(node),
    ];
    const neverRuns = incoming.length === 0 && !isTrigger(type);
    const isReviewed = neverRuns || (level === 'converted' && messages.length > 0);
    const ids = [...converted.nodes, ...between].map((each) => each.id);
    this.#note(node, isReviewed ? 'review' : level, ids, messages);
    this.#endCycles(name);
    this.#endLoops(name);
  }

  /** Adds the loops that cycles become whose last node this is. */
  #endCycles(last: string): void {
    for (const [name, { nodes, edges, isGathered, isForOne }] of this.flow.endCycles(last)) {
      this.#add(name, nodes, edges);
      this.#amend(name, 'the cycle that begins here fails after 10,000 rounds, in n8n it goes on');
      if (isGathered) {
        this.#amend(name, 'items that leave the cycle in different rounds go on together, in n8n after each round');
      }
      if (isForOne) this.#amend(name, 'the run fails if several items go back to it at once');
    }
  }

  /** Adds the nodes that gather what loops return of whose bodies this is the last node. */
  #endLoops(last: string): void {
    for (const { name, messages, nodes, edges } of this.flow.endLoops(last)) {
      this.#add(name, nodes, edges);
      for (const message of messages) this.#amend(name, message);
    }
  }

  /** Adds nodes that a node of n8n becomes beside those that it has already. */
  #add(name: string, nodes: readonly NodeDefinition[], edges: readonly EdgeDefinition[]): void {
    const node = this.#workflow.nodes.find((each) => each.name === name);
    this.#nodes.push(...(node ? nodes.map((each, index) => place(each, node, index)) : nodes));
    this.#edges.push(...edges);
    const index = this.#notes.findIndex((each) => each.node === name);
    const note = this.#notes[index];
    if (note) this.#notes[index] = { ...note, nodeIds: [...note.nodeIds, ...nodes.map(({ id }) => id)] };
  }

  /** Notes what became of models, parsers, tools and memories: they are in the nodes that they belong to. */
  #noteParts(): void {
    const notes = new Map(this.#notes.map((note) => [note.node, note]));
    const ids = new Set(this.#nodes.map(({ id }) => id));
    for (const node of this.#graph.order) {
      const owners = this.#attachments.ownersOf(node.name).flatMap((owner) => notes.get(owner) ?? []);
      const stub = owners.find(({ level }) => level === 'manual');
      const part = this.#parts.get(node.name);
      const nodeIds = part?.nodeIds.filter((id) => ids.has(id)) ?? [];
      // The tools of an agent that is disabled are left out with what they would be.
      const isLeftOut = part !== undefined && part.nodeIds.length > 0 && nodeIds.length === 0;
      if (stub) this.#note(node, 'manual', [], [partOf(stub.node)]);
      else if (part && !isLeftOut) this.#note(node, levelOf(part), nodeIds, part.messages);
      else if (owners.length > 0) this.#note(node, 'converted', [], []);
    }
    const places = new Map(this.#graph.order.map(({ name }, index) => [name, index]));
    this.#notes.sort((one, other) => (places.get(one.node) ?? 0) - (places.get(other.node) ?? 0));
  }

  /** Keeps what became of a part. One of several nodes is a stub if it is one for any of them. */
  #keepPart(name: string, { isStub, nodeIds, messages }: PartNote): void {
    const before = this.#parts.get(name);
    this.#parts.set(name, {
      isStub: isStub || before?.isStub === true,
      nodeIds: [...(before?.nodeIds ?? []), ...nodeIds],
      messages: [...new Set([...(before?.messages ?? []), ...messages])],
    });
  }

  #idOfPart(name: string): string {
    const uses = (this.#uses.get(name) ?? 0) + 1;
    this.#uses.set(name, uses);
    return uses === 1 ? this.#idOf(name) : `${this.#idOf(name)}__${uses}`;
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
      join,
      before,
      route,
      review,
    }: {
      id: string;
      join: Join;
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
    if (this.#attachments.of(name).length > 0 && !takesParts(type))
      return unsupported('a node with models, tools or memories');
    const { inputs } = join;
    for (const { guess } of inputs) {
      if (guess !== undefined) review(afterStub(guess));
    }
    const given: Source = inputs[0] ?? { text: '{}', shape: 'one' };
    const input: Source =
      node.original.executeOnce === true && given.shape === 'list' ? { text: firstItem(given), shape: 'one' } : given;
    const dataOf = (other: string): Source | undefined => this.flow.dataOf(other, name, before, route);
    const { onError = 'stopWorkflow', continueOnFail } = node.original;
    const isPlain = inputs.length === 1 && !node.isDisabled && onError === 'stopWorkflow' && continueOnFail !== true;
    const workflowName = this.#workflow.name;
    const paired = this.flow.pairsAt(name, input);
    const scripts = new ScriptedExpressions(id, name, { dataOf, input, review, workflowName, paired });
    const scope: Scope = {
      item: firstItem(input),
      index: '0',
      input,
      nodeNamed(other) {
        const source = dataOf(other);
        if (!source) return unsupported(`the node "${other}", which does not always run before`);
        if (source.hasRun === undefined) return source;
        // As in n8n, an expression fails that needs a node which did not run.
        const failing = `convert.object(${JSON.stringify(`the node "${other}" has not run`)})`;
        return { ...source, text: `(${optional(source.text)} ?? ${failing})` };
      },
      workflowName,
      timezone: timezoneOf(this.#workflow.settings),
      paired,
      // A script fails the run, where n8n would go on after an error of the node.
      ...(isPlain && { scripted: (source, index) => scripts.add(source, index) }),
      review,
    };
    const forward = new Set(this.#graph.outOf(name).map(({ output }) => output));
    const back = this.flow.backOf(name).map(({ output }) => output);
    for (const { target, output } of this.flow.backOf(name)) if (this.#graph.cycles.has(target)) forward.add(output);
    const conversion: Conversion = {
      node,
      parameters,
      id,
      inputs,
      hasAllInputs: this.flow.hasAll(name, route),
      input,
      scope,
      scopeOfEach: { ...scope, item: 'item', index: 'index' },
      connected: new Set([...forward, ...back]),
      hasResponder: this.#workflow.nodes.some((each) => shortType(each.type) === 'respondToWebhook'),
      usesPairs: this.#usesPairs,
      isTool: false,
      isInLoop: this.flow.partsWith(name).length > 0,
      parts: this.#attachments.to(name),
      attachedTo: (other) => this.#attachments.to(other),
      idOfPart: (part) => this.#idOfPart(part),
      converterOf,
      refusedBecause: (part) => this.#refused.get(part),
      notePart: (part, note) => this.#keepPart(part, note),
      workflowName,
      variables: this.#variables,
      review,
      dataOf,
    };
    const body = this.#graph.loops.get(name);
    if (body?.members.size === 0) return unsupported('a loop without a body');
    const convert = body ? (each: Conversion) => loopNode(each, body.output) : converterOf(type);
    if (!convert) return unsupported(`there is no such node here: ${shortType(type)}`);
    const converted = withGates(withOptions(convert(conversion), conversion), node, forward);
    return this.#bounded(withScript(converted, scripts.node()));
  }

  /** Counts what something becomes. Returns false if there is no room for it. */
  #hasRoom(nodes: readonly NodeDefinition[]): boolean {
    const size = JSON.stringify(nodes).length;
    if (size > MAX_CONVERTED || this.#converted + size > MAX_CONVERTED_IN_ALL) return false;
    this.#converted += size;
    return true;
  }

  /** @throws UnsupportedError if there is no room for the nodes. */
  #bounded<T extends Pick<Converted, 'nodes'>>(converted: T): T {
    return this.#hasRoom(converted.nodes) ? converted : unsupported('it would become too long here');
  }

  #stub(node: N8nNode, id: string, reason: string, review: (message: string) => void): Converted {
    const count = Math.max(1, ...this.#graph.outOf(node.name).map(({ output }) => output + 1));
    const { node: stub, missing } = stubOf(id, node.original, reason, this.#attachments.of(node.name));
    if (missing > 0) review(`the original is too long for the stub: keep it elsewhere, ${missing} characters are cut`);
    const outputs = Array.from({ length: count }, (): Output => ({
      nodeId: id,
      source: {
        text: `$nodes.${id}.output`,
        shape: 'one',
        guess: node.name,
        files: `$nodes.${id}.output?.binary`,
        filesOf: node.name,
      },
    }));
    if (!isTrigger(node.type)) return { nodes: [stub], edges: [], outputs };
    // A run needs a trigger to start from.
    const trigger: NodeDefinition = { id: `${id}__trigger`, type: 'trigger.manual', name: node.name };
    return { nodes: [trigger, stub], edges: [{ source: trigger.id, target: id }], outputs };
  }

  /** Returns the stub of a node that is disabled: it passes its input on, as in n8n. Undefined for other nodes. */
  #disabled(node: N8nNode, stub: Converted, { inputs }: Join, hasAllInputs: boolean): Converted | undefined {
    const [input] = inputs;
    const [first] = stub.nodes;
    if (!node.isDisabled || !input || !first || this.#graph.loops.has(node.name)) return undefined;
    const outputs = [passedOn(first.id, { input, inputs, hasAllInputs })];
    const connected = new Set(this.#graph.outOf(node.name).map(({ output }) => output));
    return withGates({ nodes: [{ ...first, disabled: true }], edges: [], outputs }, node, connected);
  }

  /** Triggers whose run returns the data of the last node get a Terminal node after it. */
  #returnLast(): void {
    const ended = new Set<string>();
    for (const { name, type, parameters } of this.#workflow.nodes) {
      const isCalled = shortType(type) === 'executeWorkflowTrigger';
      if (!isCalled && (shortType(type) !== 'webhook' || parameters.responseMode !== 'lastNode')) continue;
      const leaves = [...this.flow.done].filter(
        ([each, { before }]) => before.has(name) && this.#graph.outOf(each).length === 0,
      );
      const [leaf] = leaves;
      const output = leaf?.[1].outputs[0];
      const isKnown = leaves.length === 1 && output?.problem === undefined && !ended.has(leaf?.[0] ?? '');
      const isRepeated = leaf !== undefined && this.flow.isRepeatedHere(leaf[0]);
      if (!leaf || !isKnown || !output || isRepeated || output.source.text.includes('$loop')) {
        const what = isCalled ? 'the run returns the items of the last node' : 'the response is that of the last node';
        this.#amend(name, `${what} in n8n: add a Terminal node`);
        continue;
      }
      ended.add(leaf[0]);
      const id = `${this.#idOf(name)}__response`;
      const body = `{{ ${isCalled ? asList(output.source) : firstItem(output.source)} }}`;
      const before = this.#nodes.find((node) => node.id === output.nodeId)?.position;
      const position = before && { position: { x: before.x + COLUMN, y: before.y } };
      this.#nodes.push({ id, type: 'terminal', name: `${name}: response`, parameters: { body }, ...position });
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

/** Returns how well a part was converted. */
function levelOf({ isStub, messages }: PartNote): ImportLevel {
  if (isStub) return 'manual';
  return messages.length > 0 ? 'review' : 'converted';
}

/** Adds a script that runs before a node. */
function withScript(converted: Converted, script: NodeDefinition | undefined): Converted {
  const [entry] = converted.nodes;
  if (!script || !entry) return converted;
  const edges = [{ source: script.id, target: entry.id }, ...converted.edges];
  return { ...converted, nodes: [script, ...converted.nodes], edges };
}

function timezoneOf({ timezone }: JsonObject): string | undefined {
  return typeof timezone === 'string' && timezone !== '' && timezone !== 'DEFAULT' ? timezone : undefined;
}

function unique(edges: readonly EdgeDefinition[]): EdgeDefinition[] {
  return [...new Map(edges.map((edge) => [JSON.stringify(edge), edge])).values()];
}

/** What n8n knows about a node and has no place here. */
function remarksOn({ original }: N8nNode): string[] {
  const note = text(original.notes);
  return [...(note === undefined ? [] : [`has a note: ${note}`])];
}

/** Nodes are where they were, further ones below, before all of them are moved apart. */
function place(node: NodeDefinition, { original }: N8nNode, index: number): NodeDefinition {
  const [x, y] = isList(original.position) ? original.position : [];
  if (typeof x !== 'number' || typeof y !== 'number') return node;
  return { ...node, name: node.name?.slice(0, 200), position: { x, y: y + index * 110 } };
}
